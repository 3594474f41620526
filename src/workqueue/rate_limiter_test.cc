// The conformance cases of the rate limiters (RL) and of ParallelizeUntil (PZ), and Until.

#include "kinformer/workqueue/rate_limiter.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/base/stop.h"
#include "kinformer/base/until.h"
#include "kinformer/workqueue/rate_limiting_queue.h"

namespace kinformer {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Limiter = RateLimiter<std::string>;
using Exponential = ItemExponentialFailureRateLimiter<std::string>;
using FastSlow = ItemFastSlowRateLimiter<std::string>;

std::vector<Duration> Take(Limiter& limiter, const std::string& item, int count) {
  std::vector<Duration> delays;
  for (int i = 0; i < count; ++i) delays.push_back(limiter.When(item));
  return delays;
}

std::vector<Duration> Millis(std::initializer_list<int> values) {
  std::vector<Duration> delays;
  for (const int value : values) delays.push_back(milliseconds(value));
  return delays;
}

TEST(RateLimiterConformance, Exponential_RL01_02_03) {
  Exponential limiter(milliseconds(1), seconds(1));
  EXPECT_EQ(Take(limiter, "one", 5), Millis({1, 2, 4, 8, 16}));
  EXPECT_EQ(limiter.NumRequeues("one"), 5);
  EXPECT_EQ(Take(limiter, "two", 2), Millis({1, 2}));
  EXPECT_EQ(limiter.NumRequeues("two"), 2);
  limiter.Forget("one");
  EXPECT_EQ(limiter.NumRequeues("one"), 0);
  EXPECT_EQ(limiter.When("one"), milliseconds(1));
}

TEST(RateLimiterConformance, ExponentialDoesNotOverflow_RL04_05) {
  Exponential short_one(milliseconds(1), seconds(1000));
  Take(short_one, "one", 5);
  EXPECT_EQ(short_one.When("one"), milliseconds(32));
  Take(short_one, "overflow", 1000);
  EXPECT_EQ(short_one.When("overflow"), seconds(1000));

  Exponential long_one(minutes(1), hours(1000));
  Take(long_one, "two", 2);
  EXPECT_EQ(long_one.When("two"), minutes(4));
  Take(long_one, "overflow", 1000);
  EXPECT_EQ(long_one.When("overflow"), hours(1000));
}

TEST(RateLimiterConformance, FastSlow_RL06_07) {
  FastSlow limiter(milliseconds(5), seconds(10), 3);
  EXPECT_EQ(Take(limiter, "one", 5), Millis({5, 5, 5, 10000, 10000}));
  EXPECT_EQ(limiter.NumRequeues("one"), 5);
  EXPECT_EQ(Take(limiter, "two", 2), Millis({5, 5}));
  EXPECT_EQ(limiter.NumRequeues("two"), 2);
  limiter.Forget("one");
  EXPECT_EQ(limiter.NumRequeues("one"), 0);
  EXPECT_EQ(limiter.When("one"), milliseconds(5));
}

TEST(RateLimiterConformance, MaxOf_RL08) {
  std::vector<std::unique_ptr<Limiter>> limiters;
  limiters.push_back(std::make_unique<FastSlow>(milliseconds(5), seconds(3), 3));
  limiters.push_back(std::make_unique<Exponential>(milliseconds(1), seconds(1)));
  MaxOfRateLimiter<std::string> limiter(std::move(limiters));
  EXPECT_EQ(Take(limiter, "one", 5), Millis({5, 5, 5, 3000, 3000}));
  EXPECT_EQ(limiter.NumRequeues("one"), 5);
  limiter.Forget("one");
  EXPECT_EQ(limiter.NumRequeues("one"), 0);
  EXPECT_EQ(limiter.When("one"), milliseconds(5));
}

TEST(RateLimiterConformance, WithMaxWait_RL09) {
  WithMaxWaitRateLimiter<std::string> limiter(
      std::make_unique<FastSlow>(milliseconds(5), seconds(1000), 100), seconds(500));
  for (const Duration delay : Take(limiter, "one", 100)) EXPECT_EQ(delay, milliseconds(5));
  EXPECT_EQ(limiter.When("one"), seconds(500));
  EXPECT_EQ(limiter.NumRequeues("one"), 101);
  limiter.Forget("one");
  EXPECT_EQ(limiter.When("one"), milliseconds(5));
}

TEST(RateLimiterConformance, DefaultController_RL10) {
  Simulation sim;
  const auto limiter = DefaultControllerRateLimiter<std::string>(sim.env());
  EXPECT_EQ(limiter->When("fresh"), milliseconds(5));
  for (int i = 0; i < 99; ++i) {
    EXPECT_EQ(limiter->When("item" + std::to_string(i)), milliseconds(5));
  }
  EXPECT_EQ(limiter->When("a"), milliseconds(100));
  EXPECT_EQ(limiter->When("b"), milliseconds(200));
  EXPECT_EQ(DefaultItemBasedRateLimiter<std::string>()->When("x"), milliseconds(1));
}

TEST(RateLimiterConformance, Bucket_RL11) {
  Simulation sim;
  BucketRateLimiter<std::string> limiter(sim.env(), 10, 100);
  for (const Duration delay : Take(limiter, "x", 100)) EXPECT_EQ(delay, Duration::zero());
  limiter.Forget("x");
  EXPECT_EQ(limiter.NumRequeues("x"), 0);
  EXPECT_EQ(limiter.When("x"), milliseconds(100));
  EXPECT_EQ(limiter.When("y"), milliseconds(200));
  sim.RunFor(milliseconds(250));  // half a token more than the two owed
  EXPECT_EQ(limiter.When("y"), milliseconds(50));
  sim.RunFor(hours(1));  // the bucket is full, and stays so
  for (const Duration delay : Take(limiter, "x", 100)) EXPECT_EQ(delay, Duration::zero());
  EXPECT_EQ(limiter.When("x"), milliseconds(100));

  BucketRateLimiter<std::string> unlimited(sim.env(), std::numeric_limits<double>::infinity(), 1);
  for (const Duration delay : Take(unlimited, "x", 50)) EXPECT_EQ(delay, Duration::zero());
}

TEST(RateLimiterTest, Bucket_OfAnItemThatWaitsForItsToken_TakesNoSecondOne) {
  Simulation sim;
  BucketRateLimiter<std::string> limiter(sim.env(), 5, 1);
  EXPECT_EQ(limiter.When("a"), Duration::zero());
  EXPECT_EQ(limiter.When("a"), milliseconds(200));
  EXPECT_EQ(limiter.When("a"), milliseconds(200));
  EXPECT_EQ(limiter.When("b"), milliseconds(400));
  sim.RunFor(milliseconds(150));
  EXPECT_EQ(limiter.When("a"), milliseconds(50));
  EXPECT_EQ(limiter.When("b"), milliseconds(250));
  sim.RunFor(milliseconds(50));  // its token is there, and is gone with that
  EXPECT_EQ(limiter.When("a"), milliseconds(400));
}

TEST(RateLimiterTest, Bucket_OfAnItemThatIsAddedFasterThanTheRate_LetsItComeAtTheRate) {
  Simulation sim;
  RateLimitingQueue<std::string> queue(
      sim.env(), std::make_unique<BucketRateLimiter<std::string>>(sim.env(), 5, 1));
  int taken = 0;
  for (int i = 0; i < 600; ++i) {  // ten a second
    queue.AddRateLimited("a");
    sim.RunFor(milliseconds(100));
    if (queue.Len() == 0) continue;
    queue.Done(*queue.Get());
    ++taken;
  }
  EXPECT_GE(taken, 290);
  EXPECT_LE(taken, 301);
}

TEST(RateLimiterTest, JitterMakesDelaysLongerAndUnequal) {
  Simulation sim;
  WithJitterRateLimiter<std::string> limiter(
      sim.env(), std::make_unique<FastSlow>(milliseconds(100), seconds(100), 50), 0.5);
  std::set<Duration> quick;
  for (const Duration delay : Take(limiter, "one", 50)) {
    EXPECT_GE(delay, milliseconds(100));
    EXPECT_LT(delay, milliseconds(150));
    quick.insert(delay);
  }
  EXPECT_EQ(quick.size(), 50U);
  EXPECT_GT(*quick.rbegin() - *quick.begin(), milliseconds(25)) << "over the whole range";
  EXPECT_GE(limiter.When("one"), seconds(100));
  EXPECT_EQ(limiter.NumRequeues("one"), 51);
  limiter.Forget("one");
  EXPECT_EQ(limiter.NumRequeues("one"), 0);
  EXPECT_LT(limiter.When("one"), milliseconds(150));
}

TEST(RateLimiterTest, TwiceAsLongEachTimeWithJitterUpToABound_FC07) {
  Simulation sim;
  WithMaxWaitRateLimiter<std::string> limiter(
      std::make_unique<WithJitterRateLimiter<std::string>>(
          sim.env(), std::make_unique<Exponential>(milliseconds(100), hours(1)), 0.1),
      minutes(1));
  Duration base = milliseconds(100);
  for (const Duration delay : Take(limiter, "one", 11)) {
    EXPECT_GE(delay, std::min<Duration>(base, minutes(1)));
    EXPECT_LE(delay, std::min<Duration>(base + base / 10, minutes(1)));
    base *= 2;
  }
}

TEST(RateLimiterTest, NoJitterAndABoundOnIt) {
  Simulation sim;
  for (const double factor : {0.0, -1.0}) {
    WithJitterRateLimiter<std::string> none(
        sim.env(), std::make_unique<Exponential>(milliseconds(1), seconds(1)), factor);
    EXPECT_EQ(Take(none, "one", 3), Millis({1, 2, 4}));
  }
  WithMaxWaitRateLimiter<std::string> bounded(
      std::make_unique<WithJitterRateLimiter<std::string>>(
          sim.env(), std::make_unique<Exponential>(milliseconds(1), seconds(1)), 1.0),
      seconds(1));
  for (const Duration delay : Take(bounded, "one", 30)) EXPECT_LE(delay, seconds(1));
  EXPECT_EQ(bounded.When("one"), seconds(1));
}

TEST(ParallelizeConformance, EachPieceOnce_PZ01_02) {
  struct Case {
    std::size_t pieces, workers, chunk;
  };
  for (const Case c : {Case{1000, 10, 1}, Case{1000, 10, 10}, Case{1000, 10, 100},
                       Case{999, 10, 13}, Case{10, 3, 3}, Case{3, 10, 0}, Case{0, 10, 1}}) {
    Simulation sim;
    std::vector<int> done(c.pieces, 0);
    EXPECT_TRUE(sim.RunBlocking(
        [&] {
          ParallelizeUntil(sim.env(), {}, c.workers, c.pieces,
                           [&](std::size_t piece) {
                             sim.env().SleepFor(milliseconds(1));
                             ++done[piece];
                           },
                           {.chunk_size = c.chunk});
        },
        minutes(10)));
    EXPECT_EQ(done, std::vector<int>(c.pieces, 1));
  }
}

TEST(ParallelizeConformance, NoPieceBeginsAfterStop_PZ03) {
  Simulation sim;
  StopSource stop;
  std::size_t begun = 0;
  EXPECT_TRUE(sim.RunBlocking(
      [&] {
        ParallelizeUntil(sim.env(), stop.token(), 4, 1000,
                         [&](std::size_t) {
                           EXPECT_FALSE(stop.stop_requested());
                           if (++begun == 500) stop.RequestStop();
                           sim.env().SleepFor(milliseconds(1));
                         },
                         {.chunk_size = 50});
      },
      minutes(10)));
  EXPECT_EQ(begun, 500U);
}

TEST(ParallelizeConformance, NoMoreWorkersThanAskedFor) {
  struct Case {
    std::size_t pieces, workers, chunk, most;
  };
  for (const Case c : {Case{1, 1, 1, 1}, Case{1, 5, 1, 1}, Case{100, 3, 1, 3}, Case{100, 0, 1, 1},
                       Case{10, 10, 4, 3}, Case{2, 10, 1, 2}}) {
    Simulation sim;
    std::size_t inside = 0;
    std::size_t most = 0;
    std::size_t done = 0;
    EXPECT_TRUE(sim.RunBlocking(
        [&] {
          ParallelizeUntil(sim.env(), {}, c.workers, c.pieces,
                           [&](std::size_t) {
                             most = std::max(most, ++inside);
                             sim.env().SleepFor(milliseconds(1));
                             --inside;
                             ++done;
                           },
                           {.chunk_size = c.chunk});
        },
        minutes(10)));
    EXPECT_EQ(done, c.pieces);
    EXPECT_EQ(most, c.most) << c.pieces << " pieces, " << c.workers << " workers";
  }
}

// On an event loop, waiting is forbidden.
TEST(UntilTest, UntilOnLoop_NothingRunsOrWaits) {
  Simulation sim;
  Env& env = sim.env();
  StopSource stop;
  int runs = 0;
  std::vector<bool> slept;
  const SteadyTime begun = env.Now();
  env.loop().Post([&] {
    Until(env, stop.token(), hours(1), [&] { ++runs; });
    ParallelizeUntil(env, stop.token(), 2, 10, [&](std::size_t) { ++runs; });
    slept.push_back(SleepUnlessStopped(env, stop.token(), hours(1)));
    stop.RequestStop();
    slept.push_back(SleepUnlessStopped(env, stop.token(), hours(1)));
  });
  sim.RunReady();
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(slept, (std::vector<bool>{true, false}));
  EXPECT_EQ(env.Now(), begun);
}

TEST(UntilTest, JitterMakesTheWaitsLongerAndUnequal) {
  Simulation sim;
  Env& env = sim.env();
  StopSource stop;
  std::vector<SteadyTime> calls;
  EXPECT_TRUE(sim.RunBlocking(
      [&] {
        JitterUntil(env, stop.token(), seconds(10),
                    [&] {
                      calls.push_back(env.Now());
                      if (calls.size() == 20) stop.RequestStop();
                    },
                    {.jitter = 0.5});
      },
      hours(1)));
  std::set<Duration> waits;
  for (std::size_t i = 1; i < calls.size(); ++i) {
    waits.insert(calls[i] - calls[i - 1]);
    EXPECT_GE(calls[i] - calls[i - 1], seconds(10));
    EXPECT_LT(calls[i] - calls[i - 1], seconds(15));
  }
  EXPECT_GT(waits.size(), 10U);
}

TEST(UntilTest, RunsUntilStopAndStopEndsTheWait) {
  Simulation sim;
  Env& env = sim.env();
  StopSource stop;
  int runs = 0;
  const auto thread =
      env.NewThread("until", [&] { Until(env, stop.token(), hours(1), [&] { ++runs; }); });
  sim.RunFor(hours(2) + minutes(30));
  EXPECT_EQ(runs, 3);
  stop.RequestStop();
  const SteadyTime before = env.Now();
  thread->Join();
  EXPECT_EQ(env.Now(), before);
  EXPECT_TRUE(
      sim.RunBlocking([&] { Until(env, stop.token(), hours(1), [&] { ++runs; }); }, seconds(1)));
  EXPECT_EQ(runs, 3);
}

TEST(UntilTest, SlidingWaitsAfterTheFunctionElseFromItsStart) {
  for (const bool sliding : {true, false}) {
    Simulation sim;
    Env& env = sim.env();
    StopSource stop;
    int runs = 0;
    EXPECT_TRUE(sim.RunBlocking(
        [&] {
          JitterUntil(env, stop.token(), seconds(10),
                      [&] {
                        if (++runs == 4) stop.RequestStop();
                        env.SleepFor(seconds(4));
                      },
                      {.sliding = sliding});
        },
        hours(1)));
    EXPECT_EQ(env.Now().time_since_epoch() - hours(1), sliding ? seconds(46) : seconds(34));
  }
}

TEST(UntilTest, SleepUnlessStopped) {
  Simulation sim;
  Env& env = sim.env();
  StopSource stop;
  const Timer timer = env.loop().RunAt(env.Now() + seconds(90), [&] { stop.RequestStop(); });
  EXPECT_TRUE(sim.RunBlocking(
      [&] {
        EXPECT_TRUE(SleepUnlessStopped(env, stop.token(), minutes(1)));
        EXPECT_FALSE(SleepUnlessStopped(env, stop.token(), minutes(1)));
      },
      seconds(91)));
}

}  // namespace
}  // namespace kinformer
