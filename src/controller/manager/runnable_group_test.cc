// One group of a manager's runnables: how they start, fail, are removed and end.

#include "controller/manager/runnable_group.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/base/until.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::internal {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Removal = GroupRunner::Removal;

class Steps final : public Runnable {
 public:
  Steps(Env& env, std::vector<std::string>& told, std::string name)
      : env_(env), told_(told), name_(std::move(name)) {}
  Result<void> Start(const std::stop_token& stop) override {
    told_.push_back("+" + name_);
    if (throws) throw std::runtime_error("bad start");
    if (fails) return Error(Reason::kForbidden, "no rights");
    SleepUnlessStopped(env_, stop, runs);
    if (lingers > Duration(0)) env_.SleepFor(lingers);
    told_.push_back("-" + name_);
    return {};
  }
  Result<void> Warmup(const std::stop_token&) override {
    told_.push_back("~" + name_);
    return {};
  }
  Result<void> WaitUntilReady(const std::stop_token& stop) override {
    SleepUnlessStopped(env_, stop, ready_after);
    if (never_ready) return Error(Reason::kNotSynced, "not ready");
    return {};
  }
  [[nodiscard]] std::string name() const override {
    if (bad_name) throw std::runtime_error("bad name");
    return name_;
  }
  [[nodiscard]] RunnableGroup group() const override {
    if (bad_group) throw std::runtime_error("bad group");
    return RunnableGroup::kOthers;
  }
  [[nodiscard]] bool HasWarmup() const override {
    if (bad_warmup) throw std::runtime_error("bad warmup");
    return true;
  }

  Duration runs = hours(1000);
  Duration lingers{0};
  Duration ready_after{0};
  bool throws = false;
  bool fails = false;
  bool never_ready = false;
  bool bad_name = false;
  bool bad_group = false;
  bool bad_warmup = false;

 private:
  Env& env_;
  std::vector<std::string>& told_;
  const std::string name_;
};

class RunnableGroupTest : public ::testing::Test {
 protected:
  std::shared_ptr<Steps> New(const std::string& name) {
    return std::make_shared<Steps>(sim_.env(), told_, name);
  }
  std::shared_ptr<Steps> Added(GroupRunner& group, const std::string& name) {
    auto runnable = New(name);
    EXPECT_TRUE(group.Add(runnable, name).ok());
    return runnable;
  }
  GroupRunner::OnError Records() {
    return [this](const Error& error) { errors_.push_back(error.message()); };
  }
  SteadyTime Now() { return sim_.env().Now(); }

  const std::shared_ptr<base::FieldsLog> log_ =
      std::make_shared<base::FieldsLog>(LogLevel::kWarning);
  Simulation sim_{{.log = log_}};
  std::vector<std::string> told_;
  std::vector<std::string> errors_;
};

TEST_F(RunnableGroupTest, Traits_AreReadOnceAndErrorsOfThemReturned) {
  const auto runnable = New("a");
  const RunnableTraits traits = TraitsOf(sim_.env(), *runnable).OrExit();
  EXPECT_EQ(traits.name, "a");
  EXPECT_EQ(traits.group, RunnableGroup::kOthers);
  EXPECT_TRUE(traits.has_warmup);
  for (bool Steps::* bad : {&Steps::bad_name, &Steps::bad_group, &Steps::bad_warmup}) {
    (*runnable).*bad = true;
    const Result<RunnableTraits> failed = TraitsOf(sim_.env(), *runnable);
    ASSERT_FALSE(failed.ok());
    EXPECT_THAT(failed.error().message(), HasSubstr("bad "));
    (*runnable).*bad = false;
  }
  EXPECT_EQ(log_->lines.size(), 3U);
}

TEST_F(RunnableGroupTest, Start_RunsAllAndWaitsUntilEachIsReady) {
  GroupRunner group(sim_.env(), GroupRunner::Body::kStart, Records());
  Added(group, "a")->ready_after = seconds(3);
  Added(group, "b")->ready_after = seconds(4);
  sim_.RunReady();
  EXPECT_THAT(told_, IsEmpty());
  const SteadyTime begun = Now();
  group.Start({});
  EXPECT_EQ(Now() - begun, seconds(7));
  EXPECT_THAT(told_, ElementsAre("+a", "+b"));
  Added(group, "c");
  sim_.RunReady();
  EXPECT_THAT(told_, ElementsAre("+a", "+b", "+c"));
  EXPECT_THAT(group.Stop(Now() + seconds(1)), IsEmpty());
  EXPECT_EQ(told_.size(), 6U);
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(RunnableGroupTest, StopDuringStart_EndsTheWaitForReady) {
  GroupRunner group(sim_.env(), GroupRunner::Body::kStart, Records());
  const auto a = Added(group, "a");
  a->ready_after = hours(1);
  a->never_ready = true;
  Added(group, "b")->ready_after = hours(1);
  std::stop_source stop;
  const SteadyTime begun = Now();
  const Timer timer = sim_.env().loop().RunAt(begun + seconds(5), [&stop] { stop.request_stop(); });
  group.Start(stop.get_token());
  EXPECT_EQ(Now() - begun, seconds(5));
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(RunnableGroupTest, Failures_AreReportedWithTheirRunnables) {
  GroupRunner group(sim_.env(), GroupRunner::Body::kStart, Records());
  Added(group, "a")->fails = true;
  Added(group, "b")->throws = true;
  Added(group, "c")->never_ready = true;
  group.Start({});
  sim_.RunReady();
  ASSERT_EQ(errors_.size(), 3U);
  std::string all;
  for (const std::string& error : errors_) all += error + "\n";
  for (const char* part : {"no rights", "bad start", "not ready"}) {
    EXPECT_THAT(all, HasSubstr(part));
  }
}

TEST_F(RunnableGroupTest, Warmups_RunWarmupAndAreNotWaitedFor) {
  GroupRunner group(sim_.env(), GroupRunner::Body::kWarmup, Records());
  Added(group, "a")->ready_after = hours(1);
  const SteadyTime begun = Now();
  group.Start({});
  EXPECT_EQ(Now(), begun);
  sim_.RunReady();
  EXPECT_THAT(told_, ElementsAre("~a"));
}

TEST_F(RunnableGroupTest, Stop_NamesThoseThatStillRunAtItsDeadline) {
  GroupRunner group(sim_.env(), GroupRunner::Body::kStart, Records());
  Added(group, "quick");
  Added(group, "slow")->lingers = seconds(10);
  group.Start({});
  sim_.RunReady();
  const SteadyTime begun = Now();
  EXPECT_THAT(group.Stop(begun + seconds(4)), ElementsAre("slow"));
  EXPECT_EQ(Now() - begun, seconds(4));
  EXPECT_THAT(group.Stop(begun + seconds(60)), IsEmpty());
  EXPECT_EQ(Now() - begun, seconds(10)) << "it does not wait longer than needed";
  group.WaitUntilEnded();
  EXPECT_EQ(Now() - begun, seconds(10));
  const Error late = group.Add(New("late"), "late").error();
  EXPECT_EQ(late.reason(), Reason::kStopped);
  EXPECT_EQ(late.message(), "the manager has ended: late cannot be added any more");
}

TEST_F(RunnableGroupTest, WaitUntilEnded_WaitsForTheStopAndTheEnd) {
  GroupRunner group(sim_.env(), GroupRunner::Body::kStart, Records());
  Added(group, "a")->lingers = seconds(10);
  group.Start({});
  sim_.RunReady();
  const SteadyTime begun = Now();
  const Timer timer =
      sim_.env().loop().RunAt(begun + seconds(5), [&group] { group.RequestStop(); });
  group.WaitUntilEnded();
  EXPECT_EQ(Now() - begun, seconds(15));
  EXPECT_THAT(told_, ElementsAre("+a", "-a"));
}

TEST_F(RunnableGroupTest, StopBeforeStart_RunsNothing) {
  GroupRunner group(sim_.env(), GroupRunner::Body::kStart, Records());
  const auto a = Added(group, "a");
  EXPECT_EQ(a.use_count(), 2);
  group.RequestStop();
  EXPECT_EQ(a.use_count(), 1);
  group.Start({});
  sim_.RunReady();
  EXPECT_THAT(told_, IsEmpty());
  group.WaitUntilEnded();
}

TEST_F(RunnableGroupTest, Remove_StopsTheRunnableAndWaits) {
  GroupRunner group(sim_.env(), GroupRunner::Body::kStart, Records());
  const auto a = Added(group, "a");
  const auto b = Added(group, "b");
  const Error again = group.Add(a, "a").error();
  EXPECT_EQ(again.reason(), Reason::kAlreadyExists);
  EXPECT_EQ(again.message(), "a has been added before");
  EXPECT_EQ(group.Remove(New("c")), Removal::kNotHere);
  EXPECT_EQ(group.Remove(b), Removal::kEnded) << "before the start";
  EXPECT_EQ(group.Remove(b), Removal::kNotHere);
  a->lingers = seconds(10);
  group.Start({});
  sim_.RunReady();
  EXPECT_THAT(told_, ElementsAre("+a"));
  const SteadyTime begun = Now();
  EXPECT_EQ(group.Remove(a), Removal::kEnded);
  EXPECT_EQ(Now() - begun, seconds(10));
  EXPECT_THAT(told_, ElementsAre("+a", "-a"));
  EXPECT_EQ(a.use_count(), 1);
  EXPECT_TRUE(group.Add(a, "a").ok()) << "it may come again";
  sim_.RunReady();
  EXPECT_EQ(told_.back(), "+a");
}

TEST_F(RunnableGroupTest, RemoveOnALoop_DoesNotWait) {
  GroupRunner group(sim_.env(), GroupRunner::Body::kStart, Records());
  const auto a = Added(group, "a");
  a->lingers = seconds(10);
  group.Start({});
  sim_.RunReady();
  std::vector<Removal> removals;
  sim_.env().loop().Post([&] {
    removals.push_back(group.Remove(a));
    removals.push_back(group.Remove(a));
  });
  sim_.RunReady();
  EXPECT_THAT(removals, ElementsAre(Removal::kStillRuns, Removal::kNotHere));
  EXPECT_THAT(told_, ElementsAre("+a"));
  EXPECT_EQ(group.Add(a, "a").error().reason(), Reason::kAlreadyExists);
  sim_.RunFor(seconds(11));
  EXPECT_THAT(told_, ElementsAre("+a", "-a"));
  EXPECT_TRUE(group.Add(a, "a").ok());
  sim_.RunReady();
  EXPECT_EQ(told_.back(), "+a");
}

}  // namespace
}  // namespace kinformer::internal
