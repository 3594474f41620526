// One reconcile: what holds it back, what it is given and logs, and when it counts as spinning.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "controller/reconcile/controller_fixture_for_test.h"
#include "controller/reconcile/spin_watch.h"

namespace kinformer {
namespace {

using internal::reconcile::Again;
using internal::reconcile::CauseOf;
using internal::reconcile::SpinWatch;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(ControllerTest, Leadership_HoldsReconcilesBackAndLetsThemGoOn) {
  bool leads = false;
  Make({.is_leader = [&leads] { return leads; }});
  Start();
  Add(kA);
  sim_.RunFor(seconds(5));
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_THAT(Metric("kinformer_reconcile_held_back"), EndsWith(" 1"));
  EXPECT_EQ(log_->Count("reconciles wait controller=pods key=default/a why=this process does not "
                        "lead"),
            1U);
  EXPECT_EQ(log_->Count("reconciles go on"), 0U);
  leads = true;
  sim_.RunFor(seconds(1));
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_THAT(Metric("kinformer_reconcile_held_back"), EndsWith(" 0"));
  EXPECT_EQ(log_->Count("reconciles go on controller=pods"), 1U);
  Add(kB);
  sim_.RunReady();
  EXPECT_THAT(Names(), ElementsAre("a", "b"));
  EXPECT_EQ(log_->Count("reconciles"), 2U) << "nothing is logged while it leads";
  leads = false;
  Add(kA);
  sim_.RunFor(seconds(5));
  EXPECT_EQ(log_->Count("reconciles wait"), 2U);
  EXPECT_THAT(Metric("kinformer_reconcile_held_back"), EndsWith(" 1"));
  leads = true;
  sim_.RunFor(seconds(1));
  EXPECT_THAT(Names(), ElementsAre("a", "b", "a"));
}

TEST_F(ControllerTest, CacheOfTheGreatestAge_IsNotTooOld) {
  Make({.max_cache_age = minutes(2)});
  Start();
  source_->age = minutes(2) + milliseconds(1);
  Add(kA);
  sim_.RunFor(seconds(5));
  EXPECT_THAT(Names(), IsEmpty());
  source_->age = minutes(2);
  sim_.RunFor(seconds(1));
  EXPECT_THAT(Names(), ElementsAre("a"));
  source_->age = std::nullopt;
  Add(kB);
  sim_.RunReady();
  EXPECT_THAT(Names(), ElementsAre("a", "b"));
}

TEST_F(ControllerTest, WithoutMaxCacheAge_ReconcilesWithAnyCache) {
  Make();
  Start();
  source_->age = std::chrono::hours(1000);
  Add(kA);
  sim_.RunReady();
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(ControllerTest, RunningReconcile_IsMeasured) {
  Make();
  Start();
  EXPECT_THAT(Metric("controller_runtime_active_workers"), EndsWith(" 0"));
  reconcile_ = [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    EXPECT_THAT(Metric("controller_runtime_active_workers"), EndsWith(" 1"));
    env().SleepFor(seconds(3));
    return ReconcileResult{};
  };
  Add(kA);
  sim_.RunFor(seconds(10));
  EXPECT_THAT(Metric("controller_runtime_active_workers"), EndsWith(" 0"));
  EXPECT_THAT(Metric("controller_runtime_reconcile_time_seconds_sum"), EndsWith(" 3"));
  EXPECT_THAT(Metric("controller_runtime_reconcile_time_seconds_count"), EndsWith(" 1"));
}

TEST_F(ControllerTest, Context_LogsItsRequestAndUpToFourFields) {
  const ReconcileContext context(env(), {}, std::nullopt, "pods", "default/a", "id-1", 7);
  EXPECT_EQ(context.priority(), 7);
  context.Log(LogLevel::kInfo, "m0", {});
  context.Log(LogLevel::kInfo, "m1", {{"a", "1"}});
  context.Log(LogLevel::kInfo, "m2", {{"a", "1"}, {"b", "2"}});
  context.Log(LogLevel::kInfo, "m3", {{"a", "1"}, {"b", "2"}, {"c", "3"}});
  context.Log(LogLevel::kWarning, "m4", {{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}});
  context.Log(LogLevel::kInfo, "m5", {{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"e", "5"}});
  const std::string of_all = " controller=pods key=default/a reconcileID=id-1";
  EXPECT_THAT(log_->lines,
              ElementsAre("m0" + of_all, "m1" + of_all + " a=1", "m2" + of_all + " a=1 b=2",
                          "m3" + of_all + " a=1 b=2 c=3", "m4" + of_all + " a=1 b=2 c=3 d=4",
                          "m5" + of_all + " a=1 b=2 c=3 d=4"));
}

TEST_F(ControllerTest, ContextCall_HasTheTimeLeftAndTheStopToken) {
  const std::stop_source stop;
  const SteadyTime now = env().Now();
  const auto call = [&](std::optional<SteadyTime> deadline) {
    return ReconcileContext(env(), stop.get_token(), deadline, "c", "k", "i", 0).call();
  };
  EXPECT_EQ(call({}).timeout, Duration(0)) << "no limit";
  EXPECT_EQ(call({}).stop, stop.get_token());
  EXPECT_EQ(call(now + seconds(5)).timeout, seconds(5));
  EXPECT_EQ(call(now + Duration(2)).timeout, Duration(2));
  EXPECT_EQ(call(now).timeout, Duration(1));
  EXPECT_EQ(call(now - seconds(5)).timeout, Duration(1));
}

TEST_F(ControllerTest, Start_LogsItsWorkersAndReturnsAfterTheirEnd) {
  Make({.max_concurrent_reconciles = 3});
  Start();
  EXPECT_EQ(log_->Count("starting workers controller=pods workers=3"), 1U);
  EXPECT_THAT(Metric("controller_runtime_max_concurrent_reconciles"), EndsWith(" 3"));
  SteadyTime end{};
  reconcile_ = [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    env().SleepFor(seconds(30));
    end = env().Now();
    EXPECT_EQ(log_->Count("all workers have ended"), 0U);
    return ReconcileResult{};
  };
  Add(kA);
  sim_.RunFor(seconds(1));
  const SteadyTime begun = env().Now();
  StopController();
  EXPECT_EQ(env().Now() - begun, seconds(29));
  EXPECT_EQ(env().Now(), end);
  EXPECT_TRUE(result_.ok());
  EXPECT_EQ(log_->Count("all workers have ended controller=pods"), 1U);
  EXPECT_EQ(source_->stops, 1);
  EXPECT_TRUE(source_->stop.stop_requested());
}

TEST_F(ControllerTest, FailedStart_RunsNoWorker) {
  Make();
  source_->fails = true;
  Start();
  EXPECT_TRUE(ended_);
  EXPECT_EQ(result_.error().reason(), Reason::kForbidden);
  EXPECT_EQ(log_->Count("workers"), 0U);
  EXPECT_EQ(controller_->Watch(std::make_shared<TestSource>(env())).error().message(),
            "controller pods has ended");
}

// Reconciles a key `count` times at `now`; returns the number of findings.
int Findings(SpinWatch& watch, const std::string& key, int count, SteadyTime now) {
  int found = 0;
  for (int i = 0; i < count; ++i) {
    if (watch.Reconciled(key, Again::kByEvent, {}, now)) ++found;
  }
  return found;
}

TEST(SpinWatchLimits, AThousandReconcilesWithinTenSeconds_AreFound) {
  SpinWatch watch;
  const SteadyTime begun = SteadyTime{} + seconds(100);
  EXPECT_EQ(Findings(watch, "a", 500, begun), 0);
  EXPECT_EQ(Findings(watch, "a", 499, begun + seconds(10) - milliseconds(1)), 0);
  EXPECT_EQ(Findings(watch, "b", 999, begun + seconds(9)), 0) << "each key is counted alone";
  const auto found = watch.Reconciled("a", Again::kByEvent, {}, begun + seconds(9));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->reconciles, 1000U);
  EXPECT_EQ(found->within, seconds(9));
  EXPECT_EQ(Findings(watch, "a", 500, begun + seconds(9)), 0) << "said already";

  SpinWatch later;
  EXPECT_EQ(Findings(later, "a", 999, begun), 0);
  EXPECT_EQ(Findings(later, "a", 999, begun + seconds(10)), 0) << "a new interval";
}

TEST(SpinWatchLimits, AHundredReconcilesInEachOfSixIntervals_AreFound) {
  struct {
    int each;         // in the first five
    int last;         // in the sixth
    seconds between;  // the beginnings of two intervals
    bool found;
  } const rows[] = {
      {100, 100, seconds(10), true}, {100, 99, seconds(10), false},  {99, 100, seconds(10), false},
      {100, 100, seconds(19), true}, {100, 100, seconds(20), false}, {999, 99, seconds(10), false},
  };
  for (const auto& row : rows) {
    SpinWatch watch;
    SteadyTime now = SteadyTime{} + seconds(100);
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(Findings(watch, "a", row.each, now), 0) << i;
      now += row.between;
    }
    EXPECT_EQ(Findings(watch, "a", row.last, now), row.found ? 1 : 0)
        << row.each << " " << row.last << " " << row.between.count();
  }
}

TEST(SpinWatchLimits, Finding_ComesAgainAfterTenMinutes) {
  SpinWatch watch;
  const SteadyTime begun = SteadyTime{} + seconds(100);
  EXPECT_EQ(Findings(watch, "a", 1000, begun), 1);
  EXPECT_EQ(Findings(watch, "a", 5000, begun + minutes(10) - milliseconds(1)), 0);
  EXPECT_EQ(Findings(watch, "a", 1, begun + minutes(10)), 1);
  EXPECT_EQ(Findings(watch, "a", 1, begun + minutes(10)), 0);
}

TEST(SpinWatchLimits, Cause_NamesTheShortestDelay) {
  SpinWatch watch;
  std::optional<SpinWatch::Found> found;
  for (int i = 0; i < 1000; ++i) {
    found = watch.Reconciled("a", i == 7 ? Again::kByEvent : Again::kByRequeueAfter,
                             i == 7 ? Duration(0) : Duration(1000 - i), SteadyTime{});
  }
  ASSERT_TRUE(found);
  EXPECT_EQ(found->again, Again::kByRequeueAfter);
  EXPECT_EQ(found->shortest, Duration(1));
  EXPECT_THAT(CauseOf(*found), HasSubstr("after 1 ns (ReconcileResult::requeue_after)"));
  found->again = Again::kByRequeue;
  EXPECT_THAT(CauseOf(*found), HasSubstr("(ReconcileResult::requeue), and the rate limiter"));
  found->again = Again::kByError;
  EXPECT_THAT(CauseOf(*found), HasSubstr("it fails, and the rate limiter"));
  found->again = Again::kByEvent;
  EXPECT_THAT(CauseOf(*found), HasSubstr("an event follows each reconcile"));
}

}  // namespace
}  // namespace kinformer
