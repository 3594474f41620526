// Delays: backoff, jitter, token buckets.

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/internal/token_bucket.h"

#include "base/core/backoff.h"
#include "base/core/env_view.h"
#include "base/core/testing/fields_log.h"

namespace kinformer::internal::base {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// An Env whose random numbers are given.
class GivenRandom final : public EnvView {
 public:
  explicit GivenRandom(Env& env) : EnvView(env, env.loop()) {}
  [[nodiscard]] std::uint64_t Random() override {
    ++draws;
    return value;
  }
  std::uint64_t value = 0;
  int draws = 0;
};

constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
constexpr std::uint64_t kMost = ~std::uint64_t{0};

class Delays : public ::testing::Test {
 protected:
  Simulation sim_;
  GivenRandom env_{sim_.env()};
};

TEST_F(Delays, RandomUnit_IsInTheHalfOpenUnitInterval) {
  EXPECT_EQ(RandomUnit(env_), 0.0);
  env_.value = kHalf;
  EXPECT_EQ(RandomUnit(env_), 0.5);
  env_.value = kMost;
  EXPECT_EQ(RandomUnit(env_), 1.0 - 0x1.0p-53);
  env_.value = std::uint64_t{1} << 11;
  EXPECT_EQ(RandomUnit(env_), 0x1.0p-53);
  env_.value = (std::uint64_t{1} << 11) - 1;
  EXPECT_EQ(RandomUnit(env_), 0.0);
}

TEST_F(Delays, Scaled_RoundsAndStaysInRange) {
  EXPECT_EQ(Scaled(seconds(2), 1.5), seconds(3));
  EXPECT_EQ(Scaled(seconds(2), 0), Duration(0));
  EXPECT_EQ(Scaled(seconds(2), -1), Duration(0));
  EXPECT_EQ(Scaled(nanoseconds(1), 0.4), nanoseconds(0));
  EXPECT_EQ(Scaled(nanoseconds(1), 0.5), nanoseconds(1));
  EXPECT_EQ(Scaled(nanoseconds(3), 0.5), nanoseconds(2));
  EXPECT_EQ(Scaled(seconds(-2), 2), Duration(0));
  EXPECT_EQ(Scaled(Duration::max(), 1), nanoseconds(9000000000000000000));
  EXPECT_EQ(Scaled(Duration::max(), 1e300), nanoseconds(9000000000000000000));
}

TEST_F(Delays, Jitter_AddsUpToTheFactor) {
  EXPECT_EQ(Jitter(env_, seconds(10), 0.5), seconds(10));
  env_.value = kHalf;
  EXPECT_EQ(Jitter(env_, seconds(10), 0.5), milliseconds(12500));
  EXPECT_EQ(Jitter(env_, seconds(10), 3), seconds(25));
  EXPECT_EQ(Jitter(env_, seconds(10), 0), seconds(15)) << "0 means 1";
  EXPECT_EQ(Jitter(env_, seconds(10), -2), seconds(15));
  EXPECT_EQ(Jitter(env_, seconds(10), 0.25), milliseconds(11250));
}

TEST_F(Delays, Backoff_DoublesUpToTheCap) {
  BackoffManager backoff(env_);
  for (const int want : {800, 1600, 3200, 6400, 12800, 25600, 30000, 30000}) {
    EXPECT_EQ(backoff.Next(), milliseconds(want));
  }
  env_.value = kHalf;
  EXPECT_EQ(backoff.Next(), seconds(45)) << "the cap is that of the delay without jitter";
  EXPECT_EQ(backoff.Next(), seconds(45));
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), milliseconds(1200));
  EXPECT_EQ(backoff.Next(), milliseconds(2400));
}

TEST_F(Delays, Backoff_WithoutJitterDrawsNoNumber) {
  env_.value = kHalf;
  BackoffManager backoff(env_,
                         {.initial = seconds(1), .factor = 3, .cap = Duration(0), .jitter = 0});
  for (const int want : {1, 3, 9, 27, 81, 243}) EXPECT_EQ(backoff.Next(), seconds(want));
  EXPECT_EQ(env_.draws, 0);
}

TEST_F(Delays, Backoff_NegativeJitterIsNone) {
  env_.value = kHalf;
  BackoffManager backoff(env_, {.initial = seconds(1), .jitter = -1});
  EXPECT_EQ(backoff.Next(), seconds(1));
}

TEST_F(Delays, Backoff_RestartsAfterQuietTime) {
  BackoffManager backoff(
      env_,
      {.initial = seconds(1), .factor = 2, .cap = seconds(100), .jitter = 0, .reset = minutes(2)});
  EXPECT_EQ(backoff.Next(), seconds(1));
  EXPECT_EQ(backoff.Next(), seconds(2));
  // Quiet time counts from the end of the last delay.
  sim_.RunFor(seconds(2) + minutes(2));
  EXPECT_EQ(backoff.Next(), seconds(4));
  sim_.RunFor(seconds(4) + minutes(2) + nanoseconds(1));
  EXPECT_EQ(backoff.Next(), seconds(1));
  EXPECT_EQ(backoff.Next(), seconds(2));
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), seconds(1));
}

TEST_F(Delays, Backoff_WithoutResetTimeGoesOn) {
  BackoffManager backoff(
      env_, {.initial = seconds(1), .cap = Duration(0), .jitter = 0, .reset = Duration(0)});
  EXPECT_EQ(backoff.Next(), seconds(1));
  sim_.RunFor(std::chrono::hours(1000));
  EXPECT_EQ(backoff.Next(), seconds(2));
  BackoffManager brief(env_, {.initial = seconds(1), .jitter = 0, .reset = nanoseconds(1)});
  EXPECT_EQ(brief.Next(), seconds(1));
  sim_.RunFor(seconds(1) + nanoseconds(2));
  EXPECT_EQ(brief.Next(), seconds(1));
}

TEST(SleepFor, WaitsExactlyAndNotOnALoop) {
  const auto log = std::make_shared<FieldsLog>();
  Simulation sim({.log = log});
  Env& env = sim.env();
  const SteadyTime start = env.Now();
  for (const Duration none : {Duration(0), Duration(-1)}) {
    EXPECT_TRUE(sim.RunBlocking([&] { env.SleepFor(none); }, Duration(0)));
  }
  EXPECT_EQ(env.Now(), start);
  EXPECT_TRUE(sim.RunBlocking([&] { env.SleepFor(seconds(5)); }, minutes(1)));
  EXPECT_EQ(env.Now(), start + seconds(5));
  EXPECT_EQ(log->text(), "");
  env.loop().Post([&] { env.SleepFor(seconds(5)); });
  sim.RunReady();
  EXPECT_EQ(env.Now(), start + seconds(5));
  EXPECT_EQ(log->text(), "SleepFor called on an event loop; not sleeping\n");
}

SteadyTime At(Duration time) { return SteadyTime(std::chrono::hours(1)) + time; }

TEST(TokenBucket, SpendsItsBurstThenItsRate) {
  TokenBucket bucket(2, 3);
  for (const int want : {0, 0, 0, 500, 1000, 1500}) {
    EXPECT_EQ(bucket.Reserve(At(seconds(0))), milliseconds(want));
  }
  // Three tokens are owed: 1.5 s later there are none.
  EXPECT_EQ(bucket.Reserve(At(milliseconds(1500))), milliseconds(500));
  EXPECT_EQ(bucket.Reserve(At(seconds(2))), milliseconds(500));
  // A clock that goes back changes nothing.
  EXPECT_EQ(bucket.Reserve(At(seconds(1))), milliseconds(1000));
  bucket.Return();
  bucket.Return();
  EXPECT_EQ(bucket.Reserve(At(seconds(2))), milliseconds(500));
  // It holds no more than its burst.
  for (const int want : {0, 0, 0, 500}) {
    EXPECT_EQ(bucket.Reserve(At(minutes(9))), milliseconds(want));
  }
}

TEST(TokenBucket, Return_FillsUpToTheBurst) {
  TokenBucket bucket(1, 2);
  bucket.Return();
  for (const int want : {0, 0, 1}) EXPECT_EQ(bucket.Reserve(At(seconds(0))), seconds(want));
  for (int i = 0; i < 9; ++i) bucket.Return();
  for (const int want : {0, 0, 1}) EXPECT_EQ(bucket.Reserve(At(seconds(0))), seconds(want));
}

TEST(TokenBucket, BurstIsAtLeastOne) {
  for (const int burst : {-1, 0, 1}) {
    TokenBucket bucket(4, burst);
    for (const int want : {0, 250, 500}) {
      EXPECT_EQ(bucket.Reserve(At(seconds(0))), milliseconds(want));
    }
  }
}

TEST(TokenBucket, WithoutAFiniteRate_DoesNotLimit) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double qps : {0.0, -1.0, -kInfinity, kInfinity}) {
    TokenBucket bucket(qps, 1);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(bucket.Reserve(At(seconds(0))), Duration(0)) << qps;
  }
  TokenBucket slow(1e-3, 1);
  EXPECT_EQ(slow.Reserve(At(seconds(0))), Duration(0));
  EXPECT_EQ(slow.Reserve(At(seconds(0))), seconds(1000));
}

}  // namespace
}  // namespace kinformer::internal::base
