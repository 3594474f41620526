// Exceptions of the program's functions: their text, carried errors, and sinks that fail in part.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"

#include "base/core/contained_sinks.h"
#include "base/core/env_view.h"
#include "base/core/named_env.h"
#include "base/core/testing/fields_log.h"
#include "base/core/user_call.h"
#include "base/core/would_deadlock.h"

namespace kinformer::internal::base {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using ::testing::HasSubstr;
using ::testing::Not;

class CarriedException : public ::testing::Test {
 protected:
  static Error Carried(const std::string& of) {
    try {
      throw std::runtime_error("oops");
    } catch (...) {
      return CarryThrown(Reason::kInternalError, "the tweak", of);
    }
  }
  Error Reported(const std::string& of) {
    try {
      throw std::runtime_error("oops");
    } catch (...) {
      return ReportThrown(sim_.env(), "the tweak", of);
    }
  }

  const std::shared_ptr<FieldsLog> log_ = std::make_shared<FieldsLog>(LogLevel::kDebug);
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.log = log_, .metrics = metrics_}};
};

TEST_F(CarriedException, Error_DescribesTheException) {
  const Error error = Carried("pods");
  EXPECT_EQ(error.reason(), Reason::kInternalError);
  EXPECT_EQ(error.message(), "the tweak of pods threw: oops");
  EXPECT_EQ(error.details().name, "pods");
  ASSERT_EQ(error.details().causes.size(), 1U);
  EXPECT_EQ(error.details().causes[0].message, "oops");
  EXPECT_EQ(error.details().causes[0].field, "the tweak");
  EXPECT_EQ(Carried("").message(), "the tweak threw: oops");
}

TEST_F(CarriedException, Report_IsThatOfTheException) {
  const Error error = Carried("pods");
  EXPECT_EQ(log_->text(), "");
  ReportCarried(sim_.env(), error);
  const std::string line =
      "a function of the program's threw function=the tweak of=pods err=oops\n";
  EXPECT_EQ(log_->text(), line);
  EXPECT_THAT(metrics_->Text(),
              HasSubstr("kinformer_user_exceptions_total{function=\"the tweak\"} 1\n"));
  EXPECT_EQ(Reported("pods").message(), "the tweak of pods threw: oops");
  EXPECT_EQ(Reported("pods").reason(), Reason::kUnknown);
  EXPECT_EQ(log_->text(), line + line + line);
  EXPECT_THAT(metrics_->Text(),
              HasSubstr("kinformer_user_exceptions_total{function=\"the tweak\"} 3\n"));
}

TEST_F(CarriedException, OtherErrors_AreNotReported) {
  Error error(Reason::kInvalid, "invalid");
  ReportCarried(sim_.env(), error);
  error.WithDetails({.name = "x", .causes = {{.reason = "FieldValueInvalid", .message = "m"}}});
  ReportCarried(sim_.env(), error);
  EXPECT_EQ(log_->text(), "");
  EXPECT_THAT(metrics_->Text(), Not(HasSubstr("kinformer_user_exceptions_total")));
}

// ---- sinks

class PickyMetrics final : public MetricsSink {
 public:
  explicit PickyMetrics(bool throws) : throws_(throws) {}
  [[nodiscard]] bool enabled() const override {
    if (throws_) throw std::runtime_error("enabled");
    return false;
  }
  std::shared_ptr<Counter> NewCounter(std::string_view, std::string_view, MetricLabels) override {
    ++made;
    return nullptr;
  }
  std::shared_ptr<Gauge> NewGauge(std::string_view, std::string_view, MetricLabels) override {
    ++made;
    return nullptr;
  }
  std::shared_ptr<Histogram> NewHistogram(std::string_view, std::string_view,
                                          MetricLabels) override {
    ++made;
    return nullptr;
  }
  int made = 0;

 private:
  const bool throws_;
};

TEST(ContainedSinksTest, DisabledMetrics_AreNotAsked) {
  for (const bool throws : {false, true}) {
    const auto picky = std::make_shared<PickyMetrics>(throws);
    const auto log = std::make_shared<FieldsLog>(LogLevel::kDebug);
    const Sinks sinks = ContainedSinks(log, picky);
    EXPECT_FALSE(sinks.metrics->enabled());
    sinks.metrics->NewCounter("c", "", {})->Add();
    sinks.metrics->NewGauge("g", "", {})->Set(1);
    sinks.metrics->NewHistogram("h", "", {})->Observe(1);
    EXPECT_EQ(picky->made, 0);
    EXPECT_EQ(log->text(), "");
  }
}

TEST(ContainedSinksTest, WorkingSinks_GetEverything) {
  const auto log = std::make_shared<FieldsLog>(LogLevel::kInfo);
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  const Sinks sinks = ContainedSinks(log, metrics);
  EXPECT_TRUE(sinks.metrics->enabled());
  EXPECT_EQ(sinks.log->level(), LogLevel::kInfo);
  sinks.log->Log(LogLevel::kInfo, "line", {{"key", "value"}});
  sinks.metrics->NewCounter("c_total", "", {{"a", "b"}})->Add(2);
  const std::shared_ptr<Gauge> gauge = sinks.metrics->NewGauge("g", "", {});
  gauge->Set(3);
  gauge->Add(-1);
  sinks.metrics->NewHistogram("h_seconds", "", {})->Observe(4);
  EXPECT_EQ(log->text(), "line key=value\n");
  EXPECT_THAT(metrics->Text(), HasSubstr("c_total{a=\"b\"} 2\n"));
  EXPECT_THAT(metrics->Text(), HasSubstr("g 2\n"));
  EXPECT_THAT(metrics->Text(), HasSubstr("h_seconds_sum 4\n"));
}

// Takes each line, whatever its level.
class EachLine final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel /*level*/, std::string_view message,
           std::initializer_list<LogField> /*fields*/) override {
    lines.emplace_back(message);
  }
  std::vector<std::string> lines{};
};

class EnvWithLog final : public EnvView {
 public:
  EnvWithLog(Env& env, LogSink& log) : EnvView(env, env.loop()), log_(log) {}
  [[nodiscard]] LogSink& log() override { return log_; }

 private:
  LogSink& log_;
};

TEST(NamedLogTest, LinesBelowTheLevel_AreNotPassedOn) {
  Simulation sim;
  EachLine log;
  EnvWithLog env(sim.env(), log);
  LogSink& named = NamedEnv(env, "east")->log();
  EXPECT_EQ(named.level(), LogLevel::kWarning);
  named.Log(LogLevel::kDebug, "debug", {});
  named.Log(LogLevel::kInfo, "info", {});
  named.Log(LogLevel::kWarning, "warning", {});
  named.Log(LogLevel::kError, "error", {});
  EXPECT_EQ(log.lines, (std::vector<std::string>{"warning", "error"}));
}

// The clocks of several Envs differ: an earlier time than that of the last line is no reason to be
// silent.
TEST(WouldDeadlockLines, EarlierClock_Speaks) {
  const auto log = std::make_shared<FieldsLog>(LogLevel::kWarning);
  const auto say = [](Env& env) { static_cast<void>(WouldDeadlock(env, "m")); };
  Simulation late({.log = log});
  late.RunFor(hours(100));
  say(late.env());
  ASSERT_EQ(log->lines.size(), 1U);
  EXPECT_EQ(log->lines[0],
            "a call would have waited for its own thread, mostly an event loop's; it got an error "
            "err=m");
  say(late.env());
  EXPECT_EQ(log->lines.size(), 1U);
  Simulation early({.log = log});
  early.RunFor(hours(1));
  say(early.env());
  EXPECT_EQ(log->lines.size(), 2U);
  early.RunFor(minutes(1) - nanoseconds(1));
  say(early.env());
  EXPECT_EQ(log->lines.size(), 2U);
  early.RunFor(nanoseconds(1));
  say(early.env());
  EXPECT_EQ(log->lines.size(), 3U);
  say(late.env());
  EXPECT_EQ(log->lines.size(), 4U);
}

}  // namespace
}  // namespace kinformer::internal::base
