#include "base/core/named_env.h"

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::internal::base {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class NamedEnvTest : public testing::Test {
 protected:
  static void LogOn(Env& env) { env.log().Log(LogLevel::kInfo, "seen", {{"key", "a"}}); }

  const std::shared_ptr<FieldsLog> log_ = std::make_shared<FieldsLog>();
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.log = log_, .metrics = metrics_}};
};

TEST_F(NamedEnvTest, LogLinesEndWithTheCluster) {
  Env& east = *NamedEnv(sim_.env(), "east");
  LogOn(east);
  east.log().Log(LogLevel::kInfo, "bare", {});
  LogOn(sim_.env());
  EXPECT_THAT(log_->lines,
              ElementsAre("seen key=a cluster=east", "bare cluster=east", "seen key=a"));
  EXPECT_EQ(east.log().level(), LogLevel::kInfo);
}

TEST_F(NamedEnvTest, ALineOfMoreFieldsThanAnyHasKeepsTheClusterAndTheFirst) {
  NamedEnv(sim_.env(), "east")
      ->log()
      .Log(LogLevel::kInfo, "long",
           {{"1", ""},
            {"2", ""},
            {"3", ""},
            {"4", ""},
            {"5", ""},
            {"6", ""},
            {"7", ""},
            {"8", ""},
            {"9", ""},
            {"10", ""},
            {"11", ""},
            {"12", ""},
            {"13", ""},
            {"14", ""},
            {"15", ""},
            {"16", ""}});
  EXPECT_THAT(log_->lines, ElementsAre("long 1= 2= 3= 4= 5= 6= 7= 8= 9= 10= 11= 12= 13= 14= 15= "
                                       "cluster=east"));
}

TEST_F(NamedEnvTest, EachSortOfInstrumentHasTheLabel) {
  MetricsSink& east = NamedEnv(sim_.env(), "east")->metrics();
  MetricsSink& west = NamedEnv(sim_.env(), "west")->metrics();
  EXPECT_TRUE(east.enabled());
  east.NewCounter("c_total", "", {{"name", "pods"}})->Add(1);
  west.NewCounter("c_total", "", {{"name", "pods"}})->Add(2);
  sim_.env().metrics().NewCounter("c_total", "", {{"name", "pods"}})->Add(3);
  west.NewGauge("g", "", {})->Set(4);
  west.NewHistogram("h_seconds", "", {})->Observe(1);
  const std::string text = metrics_->Text();
  EXPECT_THAT(text, HasSubstr("c_total{name=\"pods\",cluster=\"east\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("c_total{name=\"pods\",cluster=\"west\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("c_total{name=\"pods\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("g{cluster=\"west\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("h_seconds_count{cluster=\"west\"} 1\n"));
}

TEST_F(NamedEnvTest, NamesReplaceEachOtherAndAnEmptyOneIsNone) {
  Env& east = *NamedEnv(sim_.env(), "east");
  EXPECT_EQ(NamedEnv(sim_.env(), "east").get(), &east) << "one of each name";
  LogOn(*NamedEnv(east, "west"));
  LogOn(*NamedEnv(east, ""));
  EXPECT_THAT(log_->lines, ElementsAre("seen key=a cluster=west", "seen key=a"));
  EXPECT_EQ(NamedEnv(sim_.env(), "").get(), &sim_.env());
}

TEST_F(NamedEnvTest, ALoopsEnvKeepsItsLoop) {
  const std::unique_ptr<Loop> loop = sim_.env().NewLoop("leases");
  Env& named = *NamedEnv(loop->env(), "east");
  EXPECT_EQ(&named.loop(), &loop->env().loop());
  LogOn(named);
  EXPECT_THAT(log_->lines, ElementsAre("seen key=a cluster=east"));
}

TEST_F(NamedEnvTest, ALoopOfANamedEnv_HasTheName) {
  const std::shared_ptr<Env> named = NamedEnv(sim_.env(), "east");
  const std::unique_ptr<Loop> loop = named->NewLoop("leases");
  LogOn(loop->env());
  EXPECT_THAT(log_->lines, ElementsAre("seen key=a cluster=east"));
}

// An Env that has no place to store the name.
class UsersEnv final : public Env {
 public:
  explicit UsersEnv(Env& env) : env_(env) {}
  [[nodiscard]] SteadyTime Now() const override { return env_.Now(); }
  [[nodiscard]] BootTime BootNow() const override { return env_.BootNow(); }
  [[nodiscard]] WallTime WallNow() const override { return env_.WallNow(); }
  [[nodiscard]] std::uint64_t Random() override { return env_.Random(); }
  [[nodiscard]] Executor& loop() override { return env_.loop(); }
  [[nodiscard]] Executor& pool() override { return env_.pool(); }
  [[nodiscard]] std::unique_ptr<Monitor> NewMonitor() override { return env_.NewMonitor(); }
  [[nodiscard]] std::unique_ptr<Thread> NewThread(std::string name, Closure body) override {
    return env_.NewThread(std::move(name), std::move(body));
  }
  [[nodiscard]] std::unique_ptr<Loop> NewLoop(std::string name) override {
    return env_.NewLoop(std::move(name));
  }
  [[nodiscard]] bool OnLoopThread() const override { return env_.OnLoopThread(); }
  [[nodiscard]] LogSink& log() override { return env_.log(); }
  [[nodiscard]] MetricsSink& metrics() override { return env_.metrics(); }

 private:
  Env& env_;
};

TEST_F(NamedEnvTest, TheNamedFormOfAUsersEnvIsThePointers) {
  UsersEnv users(sim_.env());
  const std::shared_ptr<Env> named = NamedEnv(users, "east");
  EXPECT_EQ(named.use_count(), 1);
  LogOn(*named);
  EXPECT_THAT(log_->lines, ElementsAre("seen key=a cluster=east"));
}

}  // namespace
}  // namespace kinformer::internal::base
