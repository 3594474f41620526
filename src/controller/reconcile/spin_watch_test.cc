// A controller that reconciles one request endlessly logs that once, with key, rate and cause.

#include "controller/reconcile/spin_watch.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "controller/reconcile/controller_fixture_for_test.h"

namespace kinformer {
namespace {

using internal::reconcile::Again;
using internal::reconcile::SpinWatch;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kSaid = "one request is reconciled over and over";

class SpinningControllerTest : public ControllerTest {
 protected:
  std::string Said() const {
    for (const std::string& line : log_->lines) {
      if (line.find(kSaid) != std::string::npos) return line;
    }
    return {};
  }
};

TEST_F(SpinningControllerTest, Controller_WhoseRequestIsAddedByEachReconcile_SaysSoOnce) {
  reconcile_ = [this](const ReconcileContext&, const Request& request) {
    if (calls_.size() < 8000) Add(request);
    return Result<ReconcileResult>(ReconcileResult{});
  };
  Make();
  Start();
  Add(kA);
  sim_.RunFor(seconds(5));
  EXPECT_EQ(calls_.size(), 8000U);
  EXPECT_EQ(log_->Count(kSaid), 1U);
  EXPECT_THAT(Said(), AllOf(HasSubstr("controller=pods"), HasSubstr("key=default/a"),
                            HasSubstr("reconciles=1000"),
                            HasSubstr("cause=an event follows each reconcile"),
                            HasSubstr("GenerationChangedPredicate()")));
}

TEST_F(SpinningControllerTest, Controller_ThatAsksToComeAgainAfterANanosecond_SaysSoOnce) {
  reconcile_ = [this](const ReconcileContext&, const Request&) {
    return Result<ReconcileResult>(
        ReconcileResult{.requeue_after = calls_.size() < 3000 ? nanoseconds(1) : Duration(0)});
  };
  Make();
  Start();
  Add(kA);
  sim_.RunFor(seconds(5));
  EXPECT_EQ(calls_.size(), 3000U);
  EXPECT_EQ(log_->Count(kSaid), 1U);
  EXPECT_THAT(Said(), AllOf(HasSubstr("key=default/a"), HasSubstr("again after 1 ns")));
}

TEST_F(SpinningControllerTest, Controller_ThatPollsTwelveTimesASecond_SaysSoAfterAMinute) {
  reconcile_ = [](const ReconcileContext&, const Request&) {
    return Result<ReconcileResult>(ReconcileResult{.requeue_after = milliseconds(80)});
  };
  Make();
  Start();
  Add(kA);
  sim_.RunFor(seconds(50));
  EXPECT_EQ(log_->Count(kSaid), 0U);
  sim_.RunFor(seconds(20));
  EXPECT_EQ(log_->Count(kSaid), 1U);
  sim_.RunFor(minutes(9));
  EXPECT_EQ(log_->Count(kSaid), 1U);
  sim_.RunFor(minutes(2));  // it continues
  EXPECT_EQ(log_->Count(kSaid), 2U);
}

TEST_F(SpinningControllerTest, Controller_ThatFailsOrIsBusyWithManyRequests_SaysNothing) {
  reconcile_ = [](const ReconcileContext&, const Request& request) -> Result<ReconcileResult> {
    if (request == kA) return Error(Reason::kConflict, "again");
    return ReconcileResult{.requeue_after = seconds(1)};
  };
  Make();
  Start();
  Add(kA);
  for (int i = 0; i < 500; ++i) Add({"default", std::to_string(i)});
  sim_.RunFor(minutes(1));
  EXPECT_GT(calls_.size(), 25'000U);
  EXPECT_EQ(log_->Count(kSaid), 0U);
}

TEST(SpinWatchTest, ABurst_ThatEnds_IsNoSpinning) {
  SpinWatch watch;
  SteadyTime now{};
  for (int burst = 0; burst < 20; ++burst) {
    for (int i = 0; i < 999; ++i) {
      EXPECT_EQ(watch.Reconciled("a", Again::kByEvent, {}, now), std::nullopt);
    }
    now += seconds(20);
  }
}

TEST(SpinWatchTest, KeysBeyondLimit_AreNotCounted) {
  SpinWatch watch;
  const SteadyTime now{};
  for (std::size_t i = 0; i < SpinWatch::kMostKeys; ++i) {
    EXPECT_EQ(watch.Reconciled(std::to_string(i), Again::kByEvent, {}, now), std::nullopt);
  }
  for (int i = 0; i < 5000; ++i) {
    EXPECT_EQ(watch.Reconciled("another", Again::kByEvent, {}, now), std::nullopt);
  }
}

TEST(SpinWatchTest, Cause_IsThatOfMostReconciles) {
  SpinWatch watch;
  const SteadyTime now{};
  std::optional<SpinWatch::Found> found;
  for (int i = 0; i < 1000; ++i) {
    found = watch.Reconciled("a", i % 3 == 0 ? Again::kByEvent : Again::kByError, {}, now);
  }
  ASSERT_NE(found, std::nullopt);
  EXPECT_EQ(found->again, Again::kByError);
}

}  // namespace
}  // namespace kinformer
