#include "kinformer/base/wait.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <vector>

#include "kinformer/base/simulation.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using wait::ExponentialBackoff;
using wait::PollUntilCancel;
using wait::PollUntilTimeout;

class WaitTest : public ::testing::Test {
 protected:
  // Runs a blocking body, and records the times of its calls of Ask in `asked`.
  void Run(Closure body) {
    start_ = sim_.env().Now();
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::hours(1)));
  }
  void Ask() {
    asked_.push_back(std::chrono::duration_cast<milliseconds>(sim_.env().Now() - start_).count());
  }
  // A condition that is true at its n-th call.
  wait::Condition HoldsAfter(std::size_t n) {
    return [this, n]() -> Result<bool> {
      Ask();
      return asked_.size() >= n;
    };
  }
  wait::Condition Fails() {
    return [this]() -> Result<bool> {
      Ask();
      return Error(Reason::kForbidden, "not for you");
    };
  }

  Simulation sim_;
  SteadyTime start_{};
  std::vector<std::int64_t> asked_;
};

TEST_F(WaitTest, BackoffGrowsUpToItsCap) {
  wait::Backoff backoff{.duration = seconds(1), .factor = 3, .steps = 10, .cap = seconds(5)};
  EXPECT_EQ(backoff.Step(sim_.env()), seconds(1));
  EXPECT_EQ(backoff.Step(sim_.env()), seconds(3));
  EXPECT_EQ(backoff.steps, 0) << "the next one would be longer than the cap";
  EXPECT_EQ(backoff.Step(sim_.env()), seconds(5));
  EXPECT_EQ(backoff.Step(sim_.env()), seconds(5));

  // A delay equal to the cap is not cut, so the backoff continues.
  wait::Backoff exact{.duration = seconds(1), .factor = 2, .steps = 3, .cap = seconds(2)};
  EXPECT_EQ(exact.Step(sim_.env()), seconds(1));
  EXPECT_EQ(exact.steps, 2);
  EXPECT_EQ(exact.Step(sim_.env()), seconds(2));
  EXPECT_EQ(exact.steps, 0);

  wait::Backoff last{.duration = seconds(1), .factor = 2, .steps = 1};
  EXPECT_EQ(last.Step(sim_.env()), seconds(1));
  EXPECT_EQ(last.steps, 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(last.Step(sim_.env()), seconds(2)) << "no step, no growth";
  EXPECT_EQ(last.steps, 0);

  wait::Backoff even{.duration = seconds(1), .jitter = 0.5, .steps = 2};
  std::set<Duration> delays;
  for (int i = 0; i < 50; ++i) {
    const Duration delay = even.Step(sim_.env());
    EXPECT_GE(delay, seconds(1));
    EXPECT_LT(delay, milliseconds(1500));
    delays.insert(delay);
  }
  EXPECT_GT(delays.size(), 10U) << "jitter makes them unequal";
}

TEST_F(WaitTest, ExponentialBackoffWithoutAStepAsksNobody) {
  Run([&] {
    EXPECT_EQ(ExponentialBackoff(sim_.env(), {}, {.duration = seconds(1)}, HoldsAfter(1))
                  .error()
                  .reason(),
              Reason::kTimeout);
  });
  EXPECT_THAT(asked_, ElementsAre());
}

// A delay that was cut by the cap is the last one, however many steps are left.
TEST_F(WaitTest, ExponentialBackoffEndsAtItsCap) {
  const wait::Backoff backoff{.duration = seconds(1), .factor = 3, .steps = 10, .cap = seconds(5)};
  Run([&] {
    EXPECT_EQ(ExponentialBackoff(sim_.env(), {}, backoff, HoldsAfter(9)).error().reason(),
              Reason::kTimeout);
    Ask();
  });
  EXPECT_THAT(asked_, ElementsAre(0, 1000, 4000));
}

TEST_F(WaitTest, ExponentialBackoffAsksSoManyTimes) {
  const wait::Backoff backoff{.duration = seconds(1), .factor = 2, .steps = 4};
  Run([&] { EXPECT_TRUE(ExponentialBackoff(sim_.env(), {}, backoff, HoldsAfter(3)).ok()); });
  EXPECT_THAT(asked_, ElementsAre(0, 1000, 3000));
  asked_.clear();
  Run([&] {
    EXPECT_EQ(ExponentialBackoff(sim_.env(), {}, backoff, HoldsAfter(9)).error().reason(),
              Reason::kTimeout);
    Ask();
  });
  EXPECT_THAT(asked_, ElementsAre(0, 1000, 3000, 7000, 7000)) << "no delay behind the last one";
  asked_.clear();
  Run([&] {
    EXPECT_EQ(ExponentialBackoff(sim_.env(), {}, backoff, Fails()).error().reason(),
              Reason::kForbidden);
  });
  EXPECT_THAT(asked_, ElementsAre(0));
}

TEST_F(WaitTest, PollAsksAtOnceAndAtEvenIntervals) {
  Run([&] {
    EXPECT_TRUE(PollUntilTimeout(sim_.env(), {}, seconds(2), seconds(60), HoldsAfter(3)).ok());
  });
  EXPECT_THAT(asked_, ElementsAre(0, 2000, 4000));
  asked_.clear();
  Run([&] {
    EXPECT_EQ(
        PollUntilTimeout(sim_.env(), {}, seconds(2), seconds(5), HoldsAfter(9)).error().reason(),
        Reason::kDeadlineExceeded);
    Ask();
  });
  EXPECT_THAT(asked_, ElementsAre(0, 2000, 4000, 5000));
}

TEST_F(WaitTest, AConditionThatFailsEndsAPoll) {
  Run([&] {
    for (const Error& error :
         {PollUntilTimeout(sim_.env(), {}, seconds(2), seconds(60), Fails()).error(),
          PollUntilCancel(sim_.env(), {}, seconds(2), Fails()).error()}) {
      EXPECT_EQ(error.reason(), Reason::kForbidden);
    }
  });
  EXPECT_THAT(asked_, ElementsAre(0, 0));
}

TEST_F(WaitTest, PollAsksAfterTheFirstIntervalWhereToldTo) {
  using wait::FirstAsked;
  Run([&] {
    EXPECT_TRUE(PollUntilTimeout(sim_.env(), {}, seconds(2), seconds(60), HoldsAfter(2),
                                 FirstAsked::kAfterInterval)
                    .ok());
  });
  EXPECT_THAT(asked_, ElementsAre(2000, 4000));
  asked_.clear();
  Run([&] {
    EXPECT_EQ(PollUntilTimeout(sim_.env(), {}, seconds(2), seconds(1), HoldsAfter(1),
                               FirstAsked::kAfterInterval)
                  .error()
                  .reason(),
              Reason::kDeadlineExceeded);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(PollUntilCancel(sim_.env(), stop.get_token(), seconds(2), HoldsAfter(1),
                              FirstAsked::kAfterInterval)
                  .error()
                  .reason(),
              Reason::kCanceled);
  });
  EXPECT_THAT(asked_, ElementsAre()) << "its time was over first";
}

TEST_F(WaitTest, StopEndsWaits) {
  std::stop_source stop;
  const Timer timer =
      sim_.env().loop().RunAt(sim_.env().Now() + seconds(5), [&] { stop.request_stop(); });
  Run([&] {
    EXPECT_EQ(
        PollUntilCancel(sim_.env(), stop.get_token(), seconds(2), HoldsAfter(9)).error().reason(),
        Reason::kCanceled);
    Ask();
  });
  EXPECT_THAT(asked_, ElementsAre(0, 2000, 4000, 5000));
  asked_.clear();
  Run([&] {
    EXPECT_TRUE(PollUntilCancel(sim_.env(), stop.get_token(), seconds(2), HoldsAfter(1)).ok());
  });
  EXPECT_THAT(asked_, ElementsAre(0)) << "one question even so";
}

TEST_F(WaitTest, WaitsOnLoop_ReturnWouldDeadlock) {
  std::optional<Reason> reason;
  sim_.env().loop().Post([&] {
    reason = PollUntilCancel(sim_.env(), {}, seconds(2), HoldsAfter(1)).error().reason();
  });
  sim_.RunReady();
  EXPECT_EQ(reason, Reason::kWouldDeadlock);
  reason.reset();
  sim_.env().loop().Post([&] {
    reason = ExponentialBackoff(sim_.env(), {}, {.steps = 2}, HoldsAfter(1)).error().reason();
  });
  sim_.RunReady();
  EXPECT_EQ(reason, Reason::kWouldDeadlock);
  EXPECT_TRUE(asked_.empty());
}

}  // namespace
}  // namespace kinformer
