// Controllers: their workers, the results of requests, and how they end.

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "controller/reconcile/controller_fixture_for_test.h"

namespace kinformer {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(ControllerTest, ARequestIsReconciledAndForgotten_CR08_CR16_CR18) {
  Make();
  EXPECT_THAT(Metric("controller_runtime_reconcile_total{controller=\"pods\",result=\"error\"}"),
              HasSubstr("} 0"))
      << "there from the beginning";
  Start();
  Add(kA);
  sim_.RunFor(hours(1));
  EXPECT_THAT(Names(), ElementsAre("a"));
  EXPECT_EQ(calls_[0].id.size(), 36U);
  EXPECT_EQ(controller_->Len(), 0U);
  EXPECT_THAT(Metric("controller_runtime_reconcile_total{controller=\"pods\",result=\"success\"}"),
              HasSubstr("} 1"));
  EXPECT_THAT(Metric("controller_runtime_reconcile_errors_total"), HasSubstr(" 0"));
  EXPECT_THAT(Metric("controller_runtime_reconcile_time_seconds_count"), HasSubstr(" 1"));
  EXPECT_THAT(Metric("controller_runtime_max_concurrent_reconciles"), HasSubstr(" 1"));
  EXPECT_THAT(Metric("controller_runtime_active_workers"), HasSubstr(" 0"));
  EXPECT_EQ(Metric("workqueue_adds_total"),
            R"(workqueue_adds_total{name="pods",controller="pods"} 1)");
  EXPECT_EQ(Metric("workqueue_depth"),
            R"(workqueue_depth{name="pods",controller="pods",priority="0"} 0)");
  EXPECT_EQ(ReconcileContext(env(), {}).reconcile_id(), "");
}

TEST_F(ControllerTest, FailedRequest_BacksOffUntilSuccess_CR09_CR11) {
  Make();
  Start();
  int left = 3;
  bool requeue = true;
  reconcile_ = [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    if (left-- > 0) return Error(Reason::kConflict, "somebody was faster");
    return ReconcileResult{.requeue = std::exchange(requeue, false)};
  };
  Add(kA);
  sim_.RunFor(minutes(1));
  ASSERT_EQ(calls_.size(), 5U);
  EXPECT_EQ(calls_[1].at - calls_[0].at, milliseconds(5));
  EXPECT_EQ(calls_[2].at - calls_[1].at, milliseconds(10));
  EXPECT_EQ(calls_[3].at - calls_[2].at, milliseconds(20));
  EXPECT_EQ(calls_[4].at - calls_[3].at, milliseconds(40)) << "requeue does not forget";
  EXPECT_THAT(Metric("controller_runtime_reconcile_errors_total"), HasSubstr(" 3"));
  EXPECT_THAT(log_->lines,
              ::testing::Contains(AllOf(HasSubstr("Reconciler error controller=pods key=default/a "
                                                  "reconcileID="),
                                        HasSubstr("somebody was faster"))));
  left = 1;
  Add(kA);
  sim_.RunFor(minutes(1));
  ASSERT_EQ(calls_.size(), 7U);
  EXPECT_EQ(calls_[6].at - calls_[5].at, milliseconds(5)) << "success has";
}

TEST_F(ControllerTest, ATerminalErrorDoesNotComeAgain_CR10) {
  Make();
  Start();
  reconcile_ = [](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    return TerminalError(Error(Reason::kInvalid, "the spec makes no sense"));
  };
  Add(kA);
  sim_.RunFor(hours(10));
  EXPECT_EQ(calls_.size(), 1U);
  EXPECT_THAT(Metric("controller_runtime_reconcile_errors_total"), HasSubstr(" 1"));
  EXPECT_THAT(Metric("controller_runtime_terminal_reconcile_errors_total"), HasSubstr(" 1"));
  EXPECT_THAT(Metric("controller_runtime_reconcile_total{controller=\"pods\",result=\"error\"}"),
              HasSubstr("} 1"));
  EXPECT_THAT(log_->lines, ::testing::Contains(HasSubstr("terminal error: Invalid: the spec")));
}

TEST_F(ControllerTest, ATerminalErrorEndsTheHistoryOfFailures) {
  Make();
  Start();
  std::vector<Result<ReconcileResult>> answers(3, Error(Reason::kConflict, "somebody was faster"));
  answers.emplace_back(TerminalError(Error(Reason::kInvalid, "the spec makes no sense")));
  answers.emplace_back(Error(Reason::kConflict, "somebody was faster"));
  answers.emplace_back(ReconcileResult{});
  std::size_t at = 0;
  reconcile_ = [&](const ReconcileContext&, const Request&) { return answers.at(at++); };
  Add(kA);
  sim_.RunFor(minutes(1));
  ASSERT_EQ(calls_.size(), 4U);
  Add(kA);
  sim_.RunFor(minutes(1));
  ASSERT_EQ(calls_.size(), 6U);
  EXPECT_EQ(calls_[5].at - calls_[4].at, milliseconds(5)) << "as after a first failure";
}

TEST_F(ControllerTest, ReconcileResult_DecidesWhenRequestReturns_CR12_CR13_CR14) {
  Make();
  Start();
  std::vector<Result<ReconcileResult>> answers{
      ReconcileResult{.requeue_after = minutes(5)},
      ReconcileResult{.requeue_after = minutes(5), .requeue = true},
      ReconcileResult{.requeue = true},
      ReconcileResult{.requeue_after = minutes(5),
                      .terminal_error = Error(Reason::kInvalid, "counts more")}};
  std::size_t at = 0;
  reconcile_ = [&](const ReconcileContext&, const Request&) { return answers.at(at++); };
  Add(kA);
  sim_.RunFor(hours(1));
  ASSERT_EQ(calls_.size(), 4U);
  EXPECT_EQ(calls_[1].at - calls_[0].at, minutes(5));
  EXPECT_EQ(calls_[2].at - calls_[1].at, minutes(5)) << "requeue_after wins";
  EXPECT_EQ(calls_[3].at - calls_[2].at, milliseconds(5)) << "rate limited, and forgotten before";
  const std::string total = "controller_runtime_reconcile_total{controller=\"pods\",result=";
  EXPECT_THAT(Metric(total + "\"requeue_after\"}"), HasSubstr("} 2"));
  EXPECT_THAT(Metric(total + "\"requeue\"}"), HasSubstr("} 1"));
  EXPECT_THAT(Metric(total + "\"error\"}"), HasSubstr("} 1"));
}

TEST_F(ControllerTest, PrioritiesStayUnlessTheResultSaysOtherwise_CR15) {
  Make();
  Start();
  std::vector<Result<ReconcileResult>> answers{
      Error(Reason::kConflict, "keeps the priority"),
      ReconcileResult{.requeue = true},
      ReconcileResult{.requeue_after = seconds(1)},
      ReconcileResult{.requeue_after = seconds(1), .priority = 7},
      ReconcileResult{.requeue = true, .priority = -3},
      ReconcileResult{}};
  std::size_t at = 0;
  reconcile_ = [&](const ReconcileContext&, const Request&) { return answers.at(at++); };
  source_->queue->AddWithOpts({.priority = 42}, kA);
  sim_.RunFor(hours(1));
  std::vector<int> priorities;
  for (const Call& call : calls_) priorities.push_back(call.priority);
  EXPECT_THAT(priorities, ElementsAre(42, 42, 42, 42, 7, -3));
}

TEST_F(ControllerTest, WithoutAPriorityQueueRequestsComeInTheirOrder_CR15) {
  Make({.use_priority_queue = false});
  reconcile_ = [&](const ReconcileContext& /*context*/, const Request& request) {
    if (request == kA && calls_.size() == 1) {
      return ReconcileResult{.requeue_after = seconds(1), .priority = 10};
    }
    if (request == kB) env().SleepFor(seconds(2));
    return ReconcileResult{};
  };
  Start();
  Add(kA);
  sim_.RunReady();
  Add(kB);
  Add({"default", "c"});
  sim_.RunFor(seconds(5));
  EXPECT_THAT(Names(), ElementsAre("a", "b", "c", "a"));
  for (const Call& call : calls_) EXPECT_EQ(call.priority, 0);
}

TEST_F(ControllerTest, ReconcilerThrows_RequestIsRetried_CR01) {
  Make();
  Start();
  bool thrown = false;
  reconcile_ = [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    if (std::exchange(thrown, true)) return ReconcileResult{};
    throw std::runtime_error("off by one");
  };
  Add(kA);
  sim_.RunFor(minutes(1));
  EXPECT_EQ(calls_.size(), 2U) << "tried again";
  EXPECT_THAT(Metric("controller_runtime_reconcile_panics_total"), HasSubstr(" 1"));
  EXPECT_THAT(log_->lines, ::testing::Contains(HasSubstr("panic: off by one [recovered]")));
}

TEST_F(ControllerTest, ReconcilerThrows_WithoutRecoverPanicProcessEnds_CR01) {
  const auto run = [this] {
    Make({.recover_panic = false});
    Start();
    reconcile_ = [](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
      throw std::runtime_error("off by one");
    };
    Add(kA);
    sim_.RunFor(minutes(1));
  };
  EXPECT_DEATH(run(), "");
}

TEST_F(ControllerTest, AReconcileThatTakesTooLongIsAskedToStop_CR02) {
  Make({.reconciliation_timeout = seconds(10)});
  Start();
  Duration took{0};
  reconcile_ = [&](const ReconcileContext& context, const Request&) -> Result<ReconcileResult> {
    const SteadyTime begun = env().Now();
    EXPECT_EQ(context.call().timeout, seconds(10));
    SleepUnlessStopped(env(), context.stop(), hours(1));
    took = env().Now() - begun;
    EXPECT_EQ(context.call().timeout, Duration(1)) << "over, and not: without limit";
    return ReconcileResult{};
  };
  Add(kA);
  sim_.RunFor(minutes(1));
  EXPECT_EQ(took, seconds(10));
  EXPECT_THAT(Metric("controller_runtime_reconcile_timeouts_total"), HasSubstr(" 1"));
  Add(kB);
  Add({"default", "c"});
  sim_.RunFor(minutes(1));
  EXPECT_THAT(Metric("controller_runtime_reconcile_timeouts_total"), HasSubstr(" 3"));
}

TEST_F(ControllerTest, ReconcileStoppedByController_IsNoTimeout_CR02) {
  Make({.reconciliation_timeout = hours(1)});
  Start();
  bool asked = false;
  reconcile_ = [&](const ReconcileContext& context, const Request&) -> Result<ReconcileResult> {
    asked = !SleepUnlessStopped(env(), context.stop(), minutes(30));
    return ReconcileResult{};
  };
  Add(kA);
  sim_.RunFor(minutes(1));
  StopController();
  EXPECT_TRUE(asked) << "the controller's end";
  EXPECT_THAT(Metric("controller_runtime_reconcile_timeouts_total"), HasSubstr(" 0"));
}

TEST_F(ControllerTest, WithoutReconciliationTimeout_NoDeadline_CR02) {
  Make();
  Start();
  reconcile_ = [&](const ReconcileContext& context, const Request&) -> Result<ReconcileResult> {
    EXPECT_EQ(context.deadline(), std::nullopt);
    EXPECT_EQ(context.call().timeout, Duration(0));
    EXPECT_TRUE(SleepUnlessStopped(env(), context.stop(), hours(30)));
    return ReconcileResult{};
  };
  Add(kA);
  sim_.RunFor(hours(48));
  EXPECT_EQ(calls_.size(), 1U);
  EXPECT_THAT(Metric("controller_runtime_reconcile_timeouts_total"), HasSubstr(" 0"));
}

TEST_F(ControllerTest, ReconcileEndingInTime_IsNoTimeout_CR02) {
  Make({.reconciliation_timeout = seconds(10)});
  Start();
  int calls = 0;
  reconcile_ = [&](const ReconcileContext& context, const Request&) -> Result<ReconcileResult> {
    EXPECT_TRUE(SleepUnlessStopped(env(), context.stop(), seconds(9)));
    // This is the reconciler's own timeout, not the controller's.
    if (++calls == 1) return Error(Reason::kDeadlineExceeded, "the printer took too long");
    return ReconcileResult{};
  };
  Add(kA);
  sim_.RunFor(minutes(1));
  EXPECT_EQ(calls, 2);
  EXPECT_THAT(Metric("controller_runtime_reconcile_timeouts_total"), HasSubstr(" 0"));
}

TEST_F(ControllerTest, SameRequest_IsNeverReconciledConcurrently) {
  Make({.max_concurrent_reconciles = 3});
  Start();
  std::map<std::string, int> running;
  int most = 0;
  reconcile_ = [&](const ReconcileContext&, const Request& request) -> Result<ReconcileResult> {
    EXPECT_EQ(running[request.name]++, 0);
    int all = 0;
    for (const auto& [name, count] : running) all += count;
    most = std::max(most, all);
    env().SleepFor(milliseconds(10 + env().Random() % 50));
    --running[request.name];
    return ReconcileResult{};
  };
  for (int i = 0; i < 1000; ++i) {
    Add({"default", std::to_string(env().Random() % 10)});
    sim_.RunFor(milliseconds(env().Random() % 10));
  }
  sim_.RunFor(minutes(1));
  EXPECT_EQ(most, 3);
  EXPECT_EQ(controller_->Len(), 0U);
}

TEST_F(ControllerTest, StopWithFullQueue_EndsAfterRunningReconcile_CR20) {
  Make();
  Start();
  reconcile_ = [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    env().SleepFor(seconds(1));
    return ReconcileResult{};
  };
  for (int i = 0; i < 100; ++i) Add({"default", std::to_string(i)});
  sim_.RunFor(milliseconds(1500));
  stop_.request_stop();
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(ended_) << "with the reconcile that ran";
  EXPECT_TRUE(result_.ok());
  EXPECT_EQ(calls_.size(), 2U);
}

TEST_F(ControllerTest, NonLeader_HoldsRequestsUntilItLeads) {
  bool leads = false;
  Make({.is_leader = [&] { return leads; }});
  Start();
  Add(kA);
  Add(kB);
  sim_.RunFor(minutes(10));
  EXPECT_TRUE(calls_.empty());
  EXPECT_THAT(Metric("kinformer_reconcile_held_back"), HasSubstr(" 1"));
  EXPECT_EQ(std::ranges::count_if(log_->lines,
                                  [](const auto& l) { return l.starts_with("reconciles wait"); }),
            1)
      << "said once";
  leads = true;
  sim_.RunFor(seconds(2));
  EXPECT_THAT(Names(), ElementsAre("a", "b"));
  EXPECT_THAT(Metric("kinformer_reconcile_held_back"), HasSubstr(" 0"));
}

TEST_F(ControllerTest, AControllerDoesNotActOnACacheThatIsTooOld) {
  Make({.max_cache_age = minutes(2)});
  Start();
  source_->age = minutes(3);
  Add(kA);
  sim_.RunFor(minutes(10));
  EXPECT_TRUE(calls_.empty());
  EXPECT_THAT(log_->lines, ::testing::Contains(HasSubstr(
                               "why=the cache of pods was last known to be up to date 180 s ago")));
  source_->age = seconds(10);
  sim_.RunFor(seconds(2));
  EXPECT_THAT(Names(), ElementsAre("a"));
  StopController();
}

TEST_F(ControllerTest, NonLeader_EndsWhenStopped) {
  Make({.is_leader = [] { return false; }});
  Start();
  Add(kA);
  sim_.RunFor(minutes(1));
  stop_.request_stop();
  sim_.RunReady();
  EXPECT_TRUE(ended_);
  EXPECT_TRUE(calls_.empty());
}

TEST_F(ControllerTest, StartOnLoop_ReturnsWouldDeadlock) {
  Make();
  env().loop().Post([&] { result_ = controller_->Start({}); });
  sim_.RunReady();
  EXPECT_EQ(result_.error().reason(), Reason::kWouldDeadlock);
}

}  // namespace
}  // namespace kinformer
