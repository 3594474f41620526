// Requests that fail: attempts and the last error, and events that come meanwhile.

#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/until.h"

#include "controller/reconcile/controller_fixture_for_test.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const Error kFailure(Reason::kInternalError, "no");

class FailingRequestsTest : public ControllerTest {
 protected:
  // Lets each attempt fail, and adds the request ten times a second for a minute. Returns the
  // number of attempts.
  std::size_t AttemptsInAMinute(ControllerOptions options, bool events) {
    reconcile_ = [](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
      return kFailure;
    };
    Make(std::move(options));
    Start();
    Add({"ns", "a"});
    for (int i = 0; i < 600; ++i) {
      sim_.RunFor(milliseconds(100));
      if (events) Add({"ns", "a"});
    }
    return calls_.size();
  }
};

TEST_F(FailingRequestsTest, Attempts_AreCountedWithTheLastErrorUntilASuccess) {
  std::vector<std::string> seen;
  reconcile_ = [&](const ReconcileContext& context, const Request&) -> Result<ReconcileResult> {
    const std::optional<Error>& last = context.last_error();
    seen.push_back(std::to_string(context.attempts()) + " " + (last ? last->message() : "-"));
    if (seen.size() == 1) return Error(Reason::kConflict, "first");
    if (seen.size() == 2) return ReconcileResult{.requeue = true};
    if (seen.size() == 3) throw 1;
    return ReconcileResult{};
  };
  Make();
  Start();
  Add({"ns", "a"});
  sim_.RunFor(minutes(1));
  Add({"ns", "a"});
  sim_.RunFor(minutes(1));
  ASSERT_EQ(seen.size(), 5U);
  EXPECT_EQ(seen[0], "0 -");
  EXPECT_EQ(seen[1], "1 first");
  EXPECT_EQ(seen[2], "2 -");
  EXPECT_TRUE(seen[3].starts_with("3 panic: ")) << seen[3];
  EXPECT_EQ(seen[4], "0 -");
}

TEST_F(FailingRequestsTest, QuietRequest_IsTriedWithGrowingDelays) {
  EXPECT_EQ(AttemptsInAMinute({}, false), 14U);
}

TEST_F(FailingRequestsTest, EventsAllTheTime_OneInTenSecondsBringsAnAttemptForward) {
  EXPECT_LE(AttemptsInAMinute({}, true), 14U + 7U);
  EXPECT_GE(calls_.size(), 14U);
}

TEST_F(FailingRequestsTest, EventRetryIntervalOfZero_EachEventBringsAnAttemptForward) {
  EXPECT_GE(AttemptsInAMinute({.event_retry_interval = Duration(0)}, true), 590U);
}

TEST_F(FailingRequestsTest, FirstEventDuringALongDelay_IsNotDelayed) {
  bool fixed = false;
  reconcile_ = [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    if (!fixed) return kFailure;
    return ReconcileResult{};
  };
  Make();
  Start();
  Add({"ns", "a"});
  sim_.RunFor(minutes(3));  // the next attempt is due more than two minutes later
  const std::size_t before = calls_.size();
  fixed = true;
  Add({"ns", "a"});
  sim_.RunReady();
  EXPECT_EQ(calls_.size(), before + 1);
  sim_.RunFor(minutes(30));
  EXPECT_EQ(calls_.size(), before + 1) << "it has succeeded";
  Add({"ns", "a"});
  sim_.RunReady();
  EXPECT_EQ(calls_.size(), before + 2) << "and waits for nothing";
}

TEST_F(FailingRequestsTest, EventDuringTheAttemptThatFails_WaitsToo) {
  reconcile_ = [&](const ReconcileContext&, const Request& request) -> Result<ReconcileResult> {
    Add(request);  // its object changes meanwhile
    return kFailure;
  };
  Make();
  Start();
  Add({"ns", "a"});
  sim_.RunFor(minutes(1));
  EXPECT_LE(calls_.size(), 14U + 7U);
}

TEST_F(FailingRequestsTest, Requeue_AnEventComesAtOnce) {
  reconcile_ = [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    return ReconcileResult{.requeue = true};
  };
  Make();
  Start();
  Add({"ns", "a"});
  sim_.RunFor(minutes(1));
  for (int i = 0; i < 5; ++i) {
    const std::size_t before = calls_.size();
    Add({"ns", "a"});
    sim_.RunReady();
    EXPECT_EQ(calls_.size(), before + 1);
  }
}

TEST_F(FailingRequestsTest, EventRetryIntervalBelowZero_IsRefused) {
  const auto controller =
      Controller::New(env(), ReconcilerOf<Request>([](const ReconcileContext&, const Request&) {
                        return Result<ReconcileResult>(ReconcileResult{});
                      }),
                      {.name = "pods", .event_retry_interval = seconds(-1)});
  ASSERT_FALSE(controller);
  EXPECT_EQ(controller.error().message(),
            "controller pods: event_retry_interval must not be below zero");
}

// ---- before the first attempt

TEST_F(FailingRequestsTest, CatchUp_TheFirstReconcileWaitsForIt) {
  bool asked = false;
  Make({.catch_up = [&](const std::stop_token& stop) {
    asked = true;
    static_cast<void>(SleepUnlessStopped(env(), stop, seconds(30)));
    return Result<void>();
  }});
  Start();
  Add({"ns", "a"});
  sim_.RunFor(seconds(29));
  EXPECT_TRUE(asked);
  EXPECT_TRUE(calls_.empty());
  sim_.RunFor(seconds(2));
  EXPECT_EQ(calls_.size(), 1U);
}

TEST_F(FailingRequestsTest, StopDuringCatchUp_NothingIsReconciledAndThereIsNoError) {
  Make({.catch_up = [&](const std::stop_token& stop) -> Result<void> {
    while (SleepUnlessStopped(env(), stop, minutes(1))) {
    }
    return Error(Reason::kCanceled, "stopped");
  }});
  Start();
  Add({"ns", "a"});
  sim_.RunFor(seconds(1));
  StopController();
  EXPECT_TRUE(ended_);
  EXPECT_TRUE(result_.ok());
  EXPECT_TRUE(calls_.empty());
}

}  // namespace
}  // namespace kinformer
