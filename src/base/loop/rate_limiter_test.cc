// Limiters that clients share, in simulated time.

#include "kinformer/base/rate_limiter.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

namespace kinformer::flowcontrol {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;

class RateLimiterTest : public ::testing::Test {
 protected:
  // Begins a call of a thread that blocks. `call` is copied.
  template <class Call>
  void Begin(Call call) {
    threads_.push_back(sim_.env().NewThread("caller", std::move(call)));
    sim_.RunReady();
  }
  [[nodiscard]] Duration Now() { return sim_.env().Now() - begun_; }

  Simulation sim_{{.seed = 3}};
  const SteadyTime begun_ = sim_.env().Now();
  std::vector<std::unique_ptr<Thread>> threads_;
};

TEST_F(RateLimiterTest, ABurstAndThenTheRate_FC10_FC11) {
  const auto limiter = NewTokenBucketPassiveRateLimiter(sim_.env(), 1, 3);
  EXPECT_EQ(limiter->QPS(), 1);
  std::vector<bool> taken(4);
  for (auto&& one : taken) one = limiter->TryAccept();
  EXPECT_THAT(taken, ElementsAre(true, true, true, false));
  EXPECT_FALSE(limiter->TryAccept()) << "a refusal takes nothing, and gives nothing";
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(limiter->TryAccept());
  EXPECT_FALSE(limiter->TryAccept());
}

TEST_F(RateLimiterTest, ThreadsThatShareOneWaitForTheirTurn_FC12) {
  const auto limiter = NewTokenBucketRateLimiter(sim_.env(), 10, 1);
  std::vector<Duration> passed;
  for (int i = 0; i < 4; ++i) {
    Begin([&] {
      limiter->Accept();
      passed.push_back(Now());
    });
  }
  sim_.RunFor(seconds(1));
  EXPECT_THAT(passed,
              ElementsAre(Duration(0), milliseconds(100), milliseconds(200), milliseconds(300)));
}

TEST_F(RateLimiterTest, AWaitPastItsDeadlineIsRefusedAtOnceAndTakesNothing_FC14) {
  const auto limiter = NewTokenBucketRateLimiter(sim_.env(), 0.01, 1);
  std::vector<Result<void>> results;
  Begin([&] {
    for (const Duration wait : {seconds(1), seconds(1), seconds(100)}) {
      results.push_back(limiter->Wait(std::stop_token(), sim_.env().Now() + wait));
    }
  });
  sim_.RunReady();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_TRUE(results[0].ok());
  EXPECT_EQ(results[1].error().reason(), Reason::kDeadlineExceeded);
  sim_.RunFor(seconds(100));
  ASSERT_EQ(results.size(), 3U) << "the refused wait has taken no token";
  EXPECT_TRUE(results[2].ok()) << results[2].error();
}

TEST_F(RateLimiterTest, AWaitThatIsCanceledGivesItsTokenBack) {
  const auto limiter = NewTokenBucketRateLimiter(sim_.env(), 0.1, 1);
  ASSERT_TRUE(limiter->TryAccept());
  std::stop_source stop;
  std::optional<Result<void>> first;
  Begin([&] { first = limiter->Wait(stop.get_token(), SteadyTime::max()); });
  EXPECT_FALSE(first);
  stop.request_stop();
  sim_.RunReady();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->error().reason(), Reason::kCanceled);
  Begin([&] { first = limiter->Wait(stop.get_token(), SteadyTime::max()); });
  EXPECT_EQ(first->error().reason(), Reason::kCanceled) << "stopped before";
  sim_.RunFor(seconds(10));
  EXPECT_TRUE(limiter->TryAccept());
}

TEST_F(RateLimiterTest, StopEndsWaitsAndNothingPassesAfterwards) {
  const auto limiter = NewTokenBucketRateLimiter(sim_.env(), 0.1, 1);
  ASSERT_TRUE(limiter->TryAccept());
  std::optional<Result<void>> waited;
  bool accepted = false;
  Begin([&] { waited = limiter->Wait(std::stop_token(), SteadyTime::max()); });
  Begin([&] {
    limiter->Accept();
    accepted = true;
  });
  EXPECT_FALSE(accepted);
  limiter->Stop();
  sim_.RunReady();
  ASSERT_TRUE(waited);
  EXPECT_EQ(waited->error().reason(), Reason::kStopped);
  EXPECT_TRUE(accepted);
  sim_.RunFor(minutes(1));
  EXPECT_FALSE(limiter->TryAccept());
  Begin([&] { waited = limiter->Wait(std::stop_token(), SteadyTime::max()); });
  EXPECT_EQ(waited->error().reason(), Reason::kStopped);
}

TEST_F(RateLimiterTest, WithoutALimitNothingWaits) {
  const auto limiter = NewTokenBucketRateLimiter(sim_.env(), -1, 0);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(limiter->TryAccept());
}

TEST_F(RateLimiterTest, OnALoopAWaitIsRefused) {
  const auto limiter = NewTokenBucketRateLimiter(sim_.env(), 1, 1);
  std::optional<Result<void>> result;
  sim_.env().loop().Post([&] { result = limiter->Wait(std::stop_token(), SteadyTime::max()); });
  sim_.RunReady();
  EXPECT_EQ(result->error().reason(), Reason::kWouldDeadlock);
  EXPECT_TRUE(limiter->TryAccept()) << "it has taken nothing";
}

TEST_F(RateLimiterTest, LimitersForTests_FC13) {
  const auto always = NewFakeAlwaysRateLimiter();
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(always->TryAccept());
    always->Accept();
    EXPECT_TRUE(always->Wait(std::stop_token(), SteadyTime::max()).ok());
    EXPECT_GT(always->QPS(), 0);
    always->Stop();
  }
  const auto never = NewFakeNeverRateLimiter(sim_.env());
  EXPECT_FALSE(never->TryAccept());
  EXPECT_GT(never->QPS(), 0);
  EXPECT_EQ(never->Wait(std::stop_token(), SteadyTime::max()).error().reason(), Reason::kStopped);
  int accepted = 0;
  for (int i = 0; i < 2; ++i) {
    Begin([&] {
      never->Accept();
      ++accepted;
    });
  }
  sim_.RunFor(minutes(10));
  EXPECT_EQ(accepted, 0);
  never->Stop();
  sim_.RunReady();
  EXPECT_EQ(accepted, 2);
  Begin([&] { never->Accept(); });
  EXPECT_FALSE(never->TryAccept());
}

}  // namespace
}  // namespace kinformer::flowcontrol
