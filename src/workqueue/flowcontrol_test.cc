// Back-off by id, in simulated time.

#include "kinformer/workqueue/flowcontrol.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"

namespace kinformer::flowcontrol {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;

class BackoffTest : public ::testing::Test {
 protected:
  void Step(Duration duration) { sim_.RunFor(duration); }
  [[nodiscard]] SteadyTime Now() { return sim_.env().Now(); }
  // Calls Next until the delay no longer grows.
  void ToTheCap(Backoff& backoff, Duration max) {
    while (backoff.Get("a") < max) backoff.Next("a", Now());
  }
  static std::int64_t Seconds(Duration duration) {
    return std::chrono::duration_cast<seconds>(duration).count();
  }

  Simulation sim_;
};

TEST_F(BackoffTest, DoublesToItsCapForEachId_FC01) {
  Backoff backoff(sim_.env(), {.initial = seconds(1), .max = seconds(50)});
  std::vector<std::int64_t> delays;
  for (int i = 0; i < 10; ++i) {
    delays.push_back(Seconds(backoff.Get("a")));
    backoff.Next("a", Now());
    Step(seconds(1));
  }
  EXPECT_THAT(delays, ElementsAre(0, 1, 2, 4, 8, 16, 32, 50, 50, 50));
  EXPECT_EQ(backoff.Get("b"), Duration(0));
  backoff.Reset("a");
  EXPECT_EQ(backoff.Get("a"), Duration(0));
  backoff.Next("a", Now());
  EXPECT_EQ(backoff.Get("a"), seconds(1));
}

TEST_F(BackoffTest, FailedId_IsInBackOffUntilItsDelayPasses_FC02) {
  Backoff backoff(sim_.env(), {.initial = seconds(1), .max = seconds(5)});
  EXPECT_FALSE(backoff.IsInBackOffSinceUpdate("a", Now())) << "it has never failed";
  EXPECT_FALSE(backoff.IsInBackOffSince("a", Now()));
  EXPECT_FALSE(backoff.IsInBackOffSince("a", Now() + seconds(1))) << "whenever that was";
  EXPECT_FALSE(backoff.IsInBackOffSinceUpdate("a", SteadyTime::min()));
  ToTheCap(backoff, seconds(5));
  const SteadyTime failed = Now();
  EXPECT_TRUE(backoff.IsInBackOffSinceUpdate("a", failed));
  EXPECT_TRUE(backoff.IsInBackOffSince("a", failed));
  Step(milliseconds(4999));
  EXPECT_TRUE(backoff.IsInBackOffSince("a", failed));
  EXPECT_TRUE(backoff.IsInBackOffSinceUpdate("a", Now()));
  Step(milliseconds(1));
  EXPECT_FALSE(backoff.IsInBackOffSince("a", failed));
  EXPECT_TRUE(backoff.IsInBackOffSince("a", Now())) << "something that has failed just now";
  EXPECT_FALSE(backoff.IsInBackOffSinceUpdate("a", Now()));
  Step(seconds(6));
  EXPECT_FALSE(backoff.IsInBackOffSinceUpdate("a", Now()));
  EXPECT_FALSE(backoff.IsInBackOffSince("a", Now())) << "what was has expired";
}

TEST_F(BackoffTest, AtTheCapUntilItExpires_FC03) {
  Backoff backoff(sim_.env(), {.initial = seconds(1), .max = seconds(5)});
  ToTheCap(backoff, seconds(5));
  Step(seconds(6));
  backoff.Next("a", Now());
  EXPECT_EQ(backoff.Get("a"), seconds(5));
  Step(seconds(10));
  backoff.Next("a", Now());
  EXPECT_EQ(backoff.Get("a"), seconds(5)) << "twice the cap and not more";
  Step(milliseconds(10'001));
  backoff.Next("a", Now());
  EXPECT_EQ(backoff.Get("a"), seconds(1));
}

TEST_F(BackoffTest, CleaningRemovesWhatExpired_FC04) {
  Backoff backoff(sim_.env(), {.initial = seconds(1), .max = seconds(5)});
  ToTheCap(backoff, seconds(5));
  Step(seconds(6));
  backoff.Next("b", Now());
  backoff.GC();
  EXPECT_EQ(backoff.size(), 2U);
  Step(seconds(6));
  backoff.GC();
  EXPECT_EQ(backoff.size(), 1U);
  EXPECT_EQ(backoff.Get("a"), Duration(0));
  EXPECT_EQ(backoff.Get("b"), seconds(1));
  backoff.DeleteEntry("b");
  EXPECT_EQ(backoff.size(), 0U);
}

TEST_F(BackoffTest, CleaningByARuleOfOnesOwn_FC05) {
  Backoff usual(sim_.env(), {.initial = seconds(1), .max = seconds(50)});
  Backoff own(sim_.env(), {.initial = seconds(1),
                           .max = seconds(50),
                           .has_expired = [](SteadyTime event, SteadyTime last, Duration) {
                             return event - last >= seconds(200);
                           }});
  usual.Next("a", Now());
  own.Next("a", Now());
  Step(seconds(101));
  usual.GC();
  own.GC();
  EXPECT_EQ(usual.size(), 0U);
  EXPECT_EQ(own.size(), 1U);
  Step(seconds(99));
  own.GC();
  EXPECT_EQ(own.size(), 0U);
}

TEST_F(BackoffTest, WindowsOverTime_FC06) {
  Backoff backoff(sim_.env(), {.initial = seconds(1), .max = seconds(10)});
  std::vector<int> grown;
  const SteadyTime start = Now();
  for (int tick = 0; tick <= 35; ++tick) {
    const SteadyTime now = start + seconds(tick);
    EXPECT_EQ(now, Now());
    if (!backoff.IsInBackOffSinceUpdate("a", now)) {
      backoff.Next("a", now);
      grown.push_back(tick);
    }
    Step(seconds(1));
  }
  EXPECT_THAT(grown, ElementsAre(0, 1, 3, 7, 15, 25, 35)) << "windows of 1, 2, 4, 8, 10, 10 s";
  Step(seconds(20));
  EXPECT_EQ(Now(), start + seconds(56));
  EXPECT_FALSE(backoff.IsInBackOffSinceUpdate("a", Now()));
  backoff.Next("a", Now());
  EXPECT_EQ(backoff.Get("a"), seconds(1)) << "it begins anew";
}

TEST_F(BackoffTest, Jitter_FC07) {
  Backoff backoff(sim_.env(), {.initial = milliseconds(100), .max = minutes(1), .jitter = 0.1});
  Duration last{0};
  bool differs = false;
  for (int i = 0; i < 11; ++i) {
    backoff.Next("a", Now());
    const Duration delay = backoff.Get("a");
    const Duration least = i == 0 ? milliseconds(100) : 2 * last;
    const Duration most = i == 0 ? milliseconds(110) : 2 * last + last / 10;
    if (delay != minutes(1)) {
      EXPECT_GE(delay, least);
      EXPECT_LE(delay, most);
      differs = differs || delay != least;
    }
    last = delay;
  }
  EXPECT_EQ(last, minutes(1));
  EXPECT_TRUE(differs);
}

TEST_F(BackoffTest, RulesThatExpireSoonerOrLater_FC08) {
  const auto after = [](Duration idle) {
    return [idle](SteadyTime event, SteadyTime last, Duration) { return event - last > idle; };
  };
  Backoff sooner(sim_.env(),
                 {.initial = seconds(1), .max = seconds(10), .has_expired = after(seconds(5))});
  Backoff later(sim_.env(),
                {.initial = seconds(1), .max = seconds(10), .has_expired = after(minutes(5))});
  for (Backoff* const backoff : {&sooner, &later}) {
    backoff->Next("a", Now());
    backoff->Next("a", Now());
  }
  Step(seconds(6));
  for (Backoff* const backoff : {&sooner, &later}) backoff->Next("a", Now());
  EXPECT_EQ(sooner.Get("a"), seconds(1));
  EXPECT_EQ(later.Get("a"), seconds(4));
  Step(minutes(4));
  later.Next("a", Now());
  EXPECT_EQ(later.Get("a"), seconds(8));
  Step(minutes(6));
  EXPECT_FALSE(later.IsInBackOffSince("a", Now()));
  later.Next("a", Now());
  EXPECT_EQ(later.Get("a"), seconds(1));
}

}  // namespace
}  // namespace kinformer::flowcontrol
