#include "kinformer/cache/synctrack.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

namespace kinformer::synctrack {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Each;
using ::testing::ElementsAre;

// Both kinds as one.
struct Tracker {
  explicit Tracker(bool asks) {
    std::function<bool()> upstream;
    if (asks) upstream = [this] { return upstream_synced; };
    async.emplace(upstream, "a");
    single.emplace(upstream, "s");
  }
  void Upstream() {
    upstream_synced = true;
    async->UpstreamHasSynced();
    single->UpstreamHasSynced();
  }
  void Start(const std::string& key) {
    async->Start(key);
    single->Start();
  }
  void Finished(const std::string& key) {
    async->Finished(key);
    EXPECT_TRUE(single->Finished());
  }
  [[nodiscard]] bool HasSynced() const {
    EXPECT_EQ(async->HasSynced(), single->HasSynced());
    return async->HasSynced();
  }
  bool upstream_synced = false;
  std::optional<AsyncTracker<std::string>> async;
  std::optional<SingleFileTracker> single;
};

class TrackerTest : public ::testing::TestWithParam<bool> {
 protected:
  Tracker tracker_{GetParam()};
};

TEST_P(TrackerTest, NothingArrives_ST01_ST10) {
  EXPECT_FALSE(tracker_.HasSynced());
  tracker_.Upstream();
  EXPECT_TRUE(tracker_.HasSynced());
}

TEST_P(TrackerTest, AllHasEndedBeforeTheUpstreamSyncs_ST02_ST11) {
  tracker_.Start("a");
  tracker_.Finished("a");
  EXPECT_FALSE(tracker_.HasSynced());
  tracker_.Upstream();
  EXPECT_TRUE(tracker_.HasSynced());
}

TEST_P(TrackerTest, TheUpstreamSyncsBeforeTheEnd_ST03_ST12) {
  tracker_.Start("a");
  tracker_.Upstream();
  EXPECT_FALSE(tracker_.HasSynced());
  tracker_.Finished("a");
  EXPECT_TRUE(tracker_.HasSynced());
}

TEST_P(TrackerTest, SecondItemIsUnderWay_ST04_ST13) {
  tracker_.Start("a");
  tracker_.Start("b");
  tracker_.Finished("a");
  tracker_.Upstream();
  EXPECT_FALSE(tracker_.HasSynced());
  tracker_.Finished("b");
  EXPECT_TRUE(tracker_.HasSynced());
}

TEST_P(TrackerTest, AnItemBeginsAfterTheUpstreamSynced_ST05_ST14) {
  tracker_.Upstream();
  tracker_.Start("a");
  EXPECT_FALSE(tracker_.HasSynced()) << "nobody has asked before";
  tracker_.Finished("a");
  EXPECT_TRUE(tracker_.HasSynced());
}

TEST_P(TrackerTest, ASyncedTrackerStaysSynced_ST06_ST15) {
  tracker_.Upstream();
  ASSERT_TRUE(tracker_.HasSynced());
  tracker_.Start("a");
  EXPECT_TRUE(tracker_.HasSynced());
  tracker_.Finished("a");
  EXPECT_TRUE(tracker_.HasSynced());
}

INSTANTIATE_TEST_SUITE_P(All, TrackerTest, ::testing::Bool());

TEST(AsyncTracker, AnItemThatBeginsTwiceEndsOnce) {
  AsyncTracker<int> tracker({}, "numbers");
  EXPECT_EQ(tracker.Name(), "numbers");
  tracker.UpstreamHasSynced();
  tracker.Start(1);
  tracker.Start(1);
  tracker.Finished(2);
  EXPECT_FALSE(tracker.HasSynced());
  tracker.Finished(1);
  EXPECT_TRUE(tracker.HasSynced());
}

TEST(AsyncTracker, ElevenThreadsBeginAndEnd_ST07) {
  Simulation sim({.seed = 8});
  AsyncTracker<int> tracker;
  std::vector<std::unique_ptr<Thread>> threads;
  int within = 0;
  for (int i = 0; i < 11; ++i) {
    threads.push_back(sim.env().NewThread("t", [&, i] {
      tracker.Start(i);
      ++within;
      sim.env().SleepFor(seconds(1 + i));
      tracker.Finished(i);
    }));
  }
  sim.RunReady();
  ASSERT_EQ(within, 11);
  tracker.UpstreamHasSynced();
  sim.RunFor(seconds(10) + milliseconds(500));
  EXPECT_FALSE(tracker.HasSynced());
  sim.RunFor(seconds(1));
  EXPECT_TRUE(tracker.HasSynced());
}

TEST(SingleFileTracker, AHundredBegunNinetyNineEnded_ST08) {
  SingleFileTracker tracker;
  for (int i = 0; i < 100; ++i) tracker.Start();
  for (int i = 0; i < 99; ++i) EXPECT_TRUE(tracker.Finished());
  tracker.UpstreamHasSynced();
  EXPECT_FALSE(tracker.HasSynced());
  EXPECT_TRUE(tracker.Finished());
  EXPECT_TRUE(tracker.HasSynced());
}

TEST(SingleFileTracker, TooManyEndsAreReported_ST09) {
  SingleFileTracker tracker({}, "file");
  EXPECT_EQ(tracker.Name(), "file");
  tracker.Start();
  EXPECT_TRUE(tracker.Finished());
  EXPECT_FALSE(tracker.Finished());
  tracker.UpstreamHasSynced();
  EXPECT_TRUE(tracker.HasSynced());
}

class LazyTest : public ::testing::Test {
 protected:
  template <class Call>
  void Begin(Call call) {
    threads_.push_back(sim_.env().NewThread("caller", std::move(call)));
    sim_.RunReady();
  }
  // Takes as long as `lasts_` said when it began.
  Result<int> Evaluate() {
    const int value = source_;
    ++evaluations_;
    sim_.env().SleepFor(lasts_);
    if (throws_) throw std::runtime_error("thrown");
    if (fails_) return Error(Reason::kTimeout, "later");
    return value;
  }

  Simulation sim_{{.seed = 9}};
  int source_ = 0;
  Duration lasts_{0};
  bool fails_ = false;
  bool throws_ = false;
  int evaluations_ = 0;
  Lazy<int> lazy_{sim_.env(), [this] { return Evaluate(); }};
  std::vector<std::unique_ptr<Thread>> threads_;
};

TEST_F(LazyTest, AValueIsNeverOlderThanOnesOwnChange_LZ01) {
  for (int thread = 0; thread < 10; ++thread) {
    Begin([&] {
      for (int i = 0; i < 20; ++i) {
        sim_.env().SleepFor(milliseconds(sim_.env().Random() % 7));
        const int mine = ++source_;
        lasts_ = milliseconds(sim_.env().Random() % 5);
        lazy_.Notify();
        EXPECT_GE(*lazy_.Get(), mine);
      }
    });
  }
  sim_.RunFor(seconds(10));
  EXPECT_EQ(source_, 200);
  EXPECT_EQ(*lazy_.Get(), 200);
}

TEST_F(LazyTest, SlowEvaluationsAndFrequentChangesKeepNobodyForLong_LZ02) {
  lasts_ = milliseconds(11);
  bool ended = false;
  Begin([&] {
    while (!ended) {
      ++source_;
      lazy_.Notify();
      sim_.env().SleepFor(milliseconds(10));
    }
  });
  const SteadyTime begun = sim_.env().Now();
  Duration took{0};
  Begin([&] {
    for (int i = 0; i < 100; ++i) (void)lazy_.Get();
    took = sim_.env().Now() - begun;
    ended = true;
  });
  sim_.RunFor(seconds(10));
  EXPECT_GT(took, Duration(0));
  EXPECT_LT(took, seconds(3));
}

TEST_F(LazyTest, AFirstEvaluationThatEndsAfterALaterOneIsNotKept_LZ03) {
  std::vector<int> got;
  source_ = 1;
  lasts_ = seconds(10);
  Begin([&] { got.push_back(*lazy_.Get()); });
  source_ = 2;
  lasts_ = seconds(1);
  lazy_.Notify();
  Begin([&] { got.push_back(*lazy_.Get()); });
  sim_.RunFor(seconds(20));
  EXPECT_THAT(got, ElementsAre(2, 1));
  EXPECT_EQ(*lazy_.Get(), 2);
  EXPECT_EQ(evaluations_, 2);
}

TEST_F(LazyTest, AFirstEvaluationThatEndsBeforeALaterOneIsReplaced_LZ04) {
  std::vector<int> got;
  source_ = 1;
  lasts_ = seconds(1);
  Begin([&] { got.push_back(*lazy_.Get()); });
  source_ = 2;
  lasts_ = seconds(10);
  lazy_.Notify();
  Begin([&] { got.push_back(*lazy_.Get()); });
  sim_.RunFor(seconds(20));
  EXPECT_THAT(got, ElementsAre(1, 2));
  EXPECT_EQ(*lazy_.Get(), 2);
  EXPECT_EQ(evaluations_, 2);
}

TEST_F(LazyTest, ThreeWhoAskAtOnceShareOneEvaluation_LZ05) {
  std::vector<int> got;
  source_ = 7;
  lasts_ = seconds(1);
  for (int i = 0; i < 3; ++i) {
    Begin([&] { got.push_back(*lazy_.Get()); });
  }
  sim_.RunFor(seconds(2));
  EXPECT_EQ(got.size(), 3U);
  EXPECT_THAT(got, Each(7));
  EXPECT_EQ(evaluations_, 1);
}

TEST_F(LazyTest, AnErrorIsNotKept_LZ06) {
  fails_ = true;
  EXPECT_EQ(lazy_.Get().error().reason(), Reason::kTimeout);
  fails_ = false;
  throws_ = true;
  EXPECT_THROW((void)lazy_.Get(), std::runtime_error);
  throws_ = false;
  source_ = 3;
  EXPECT_EQ(*lazy_.Get(), 3);
  source_ = 4;
  EXPECT_EQ(*lazy_.Get(), 3) << "nobody has told of the change";
  lazy_.Notify();
  EXPECT_EQ(*lazy_.Get(), 4);
}

TEST_F(LazyTest, ALoopDoesNotWaitForAnotherThread) {
  lasts_ = seconds(5);
  Begin([&] { (void)lazy_.Get(); });
  std::optional<Result<int>> got;
  sim_.env().loop().Post([&] { got = lazy_.Get(); });
  sim_.RunReady();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->error().reason(), Reason::kWouldDeadlock);
  sim_.RunFor(seconds(6));
  sim_.env().loop().Post([&] { got = lazy_.Get(); });
  sim_.RunReady();
  EXPECT_TRUE(got->ok()) << "the value is there";
}

}  // namespace
}  // namespace kinformer::synctrack
