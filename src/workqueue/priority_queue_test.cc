// Conformance cases of the priority queue (PQ), in simulated time. The cases with real threads are
// in queue_threads_test.cc.

#include "kinformer/workqueue/priority_queue.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/workqueue/worker.h"

#include "workqueue/testing/queue_fixture.h"

namespace kinformer {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Queue = PriorityQueue<std::string>;

class PriorityQueueTest : public QueueTest {
 protected:
  // Returns workqueue_depth by priority.
  std::map<std::string, int> Depth() {
    std::map<std::string, int> depth;
    const std::string start = "workqueue_depth{name=\"q\",priority=\"";
    const std::string text = metrics_->Text();
    for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at)) {
      at += start.size();
      const std::size_t quote = text.find('"', at);
      depth[text.substr(at, quote - at)] = std::stoi(text.substr(quote + 3));
    }
    return depth;
  }
  int Value(std::string_view metric) {
    const std::string line = "\nworkqueue_" + std::string(metric) + "{name=\"q\"} ";
    const std::string text = metrics_->Text();
    const std::size_t at = text.find(line);
    return at == std::string::npos ? -1 : std::stoi(text.substr(at + line.size()));
  }
  int Adds() { return Value("adds_total"); }
  int Retries() { return Value("retries_total"); }

  static std::pair<std::string, int> Take(Queue& queue) {
    const auto taken = queue.GetWithPriority();
    return taken ? std::pair(taken->item, taken->priority) : std::pair(std::string("(none)"), 0);
  }

  Queue queue_{env_, {.name = "q"}};
};

TEST_F(PriorityQueueTest, SingleItem_IsGivenOut_PQ01) {
  queue_.AddWithOpts({}, "foo");
  EXPECT_THAT(Take(queue_), Pair("foo", 0));
  EXPECT_FALSE(queue_.ShuttingDown());
  EXPECT_THAT(Depth(), ElementsAre(Pair("0", 0)));
  EXPECT_EQ(Adds(), 1);
}

TEST_F(PriorityQueueTest, EqualPrioritiesInOrder_PQ02) {
  queue_.Add("foo");
  queue_.Add("bar");
  EXPECT_EQ(queue_.Get(), "foo");
  EXPECT_EQ(queue_.Get(), "bar");
}

TEST_F(PriorityQueueTest, AHeldItemIsPassedOverAndKeepsItsPlace_PQ03_04) {
  queue_.Add("foo");
  EXPECT_EQ(queue_.Get(), "foo");
  queue_.Add("foo");
  queue_.Add("bar");
  EXPECT_EQ(queue_.Len(), 2U);
  EXPECT_EQ(queue_.Get(), "bar");
  EXPECT_THAT(Depth(), ElementsAre(Pair("0", 1)));
  EXPECT_EQ(Adds(), 3);
  queue_.Add("baz");
  EXPECT_THAT(queue_.Waiting(), ElementsAre("foo", "baz"));
  queue_.Done("foo");
  EXPECT_EQ(queue_.Get(), "foo");
  EXPECT_THAT(Depth(), ElementsAre(Pair("0", 1)));
  EXPECT_EQ(Adds(), 4);
}

TEST_F(PriorityQueueTest, AddedTwiceIsOne_PQ05) {
  queue_.Add("foo");
  queue_.Add("foo");
  EXPECT_EQ(queue_.Len(), 1U);
  EXPECT_EQ(Adds(), 1);
  EXPECT_THAT(TakeAll(queue_), ElementsAre("foo"));
}

TEST_F(PriorityQueueTest, AddedWhileHeldComesAgain_PQ06) {
  queue_.Add("foo");
  EXPECT_EQ(queue_.Get(), "foo");
  queue_.Add("foo");
  EXPECT_EQ(queue_.Len(), 1U);
  queue_.Done("foo");
  EXPECT_EQ(queue_.Get(), "foo");
  EXPECT_EQ(Adds(), 2);
}

TEST_F(PriorityQueueTest, RaisedItem_IsGivenOutOnceAtNewPriority_PQ07) {
  queue_.AddWithOpts({.priority = 1}, "foo");
  queue_.AddWithOpts({.priority = 2}, "foo");
  EXPECT_THAT(Take(queue_), Pair("foo", 2));
  EXPECT_EQ(queue_.Len(), 0U);
  EXPECT_THAT(Depth(), ElementsAre(Pair("1", 0), Pair("2", 0)));
  EXPECT_EQ(Adds(), 1);
}

TEST_F(PriorityQueueTest, APriorityIsNeverLowered_PQ08) {
  queue_.AddWithOpts({.priority = 2}, "foo");
  queue_.AddWithOpts({.priority = 1}, "foo");
  queue_.Add("foo");
  EXPECT_THAT(Take(queue_), Pair("foo", 2));
}

TEST_F(PriorityQueueTest, ARaisedItemOvertakes_PQ09) {
  for (const char* item : {"foo", "bar", "baz"}) queue_.Add(item);
  queue_.AddWithOpts({.priority = 1}, "baz");
  EXPECT_THAT(TakeAll(queue_), ElementsAre("baz", "foo", "bar"));
}

TEST_F(PriorityQueueTest, InOrderWithinTheNewPriority_PQ10) {
  queue_.Add("foo");
  queue_.AddWithOpts({.priority = 1}, "bar");
  queue_.AddWithOpts({.priority = 1}, "foo");
  EXPECT_THAT(TakeAll(queue_), ElementsAre("bar", "foo"));
}

TEST_F(PriorityQueueTest, ReadyItemAddedWithDelay_StaysReady_PQ11) {
  queue_.AddWithOpts({}, "foo");
  queue_.AddWithOpts({.after = hours(1)}, "foo");
  EXPECT_EQ(queue_.Delayed(), 0U);
  EXPECT_EQ(queue_.Get(), "foo");
  EXPECT_EQ(Adds(), 1);
}

TEST_F(PriorityQueueTest, DelayedItemsAreNotCounted_PQ12) {
  queue_.AddWithOpts({.after = minutes(1)}, "a");
  queue_.AddWithOpts({.after = minutes(1)}, "b");
  queue_.Add("c");
  queue_.Add("d");
  EXPECT_EQ(queue_.Len(), 2U);
  EXPECT_THAT(Depth(), ElementsAre(Pair("0", 2)));
}

TEST_F(PriorityQueueTest, DelayedItemsAreCountedOnceTheyAreReady_PQ12) {
  for (int round = 0; round < 2; ++round) {
    queue_.AddWithOpts({.after = minutes(1)}, "a");
    queue_.Add("c");
    queue_.AddWithOpts({.after = minutes(1)}, "b");
    queue_.Add("d");
    EXPECT_EQ(queue_.Len(), 2U);
    EXPECT_THAT(Depth(), ElementsAre(Pair("0", 2)));
    sim_.RunFor(minutes(1));
    EXPECT_EQ(queue_.Len(), 4U);
    EXPECT_THAT(Depth(), ElementsAre(Pair("0", 4)));
    for (int i = 0; i < 4; ++i) queue_.Done(queue_.Get().value_or("(none)"));
    EXPECT_EQ(queue_.Len(), 0U);
    EXPECT_THAT(Depth(), ElementsAre(Pair("0", 0)));
  }
}

TEST_F(PriorityQueueTest, ReadyDelayedItemAddedAgain_IsCountedOnce_PQ12) {
  queue_.AddWithOpts({.after = minutes(1)}, "foo");
  sim_.RunFor(minutes(1));
  EXPECT_EQ(queue_.Len(), 1U);
  EXPECT_THAT(Depth(), ElementsAre(Pair("0", 1)));
  queue_.Add("foo");
  EXPECT_EQ(queue_.Len(), 1U);
  EXPECT_THAT(Depth(), ElementsAre(Pair("0", 1)));
  EXPECT_EQ(queue_.Get(), "foo");
  EXPECT_EQ(queue_.Len(), 0U);
  EXPECT_THAT(Depth(), ElementsAre(Pair("0", 0)));
}

TEST_F(PriorityQueueTest, ABlockedWorkerEndsAtShutDown_PQ13) {
  bool ended = false;
  const auto worker = env_.NewThread("w", [&] {
    EXPECT_FALSE(queue_.GetWithPriority().has_value());
    ended = true;
  });
  sim_.RunFor(seconds(1));
  EXPECT_FALSE(ended);
  queue_.ShutDown();
  queue_.ShutDown();
  worker->Join();
  EXPECT_TRUE(ended);
}

TEST_F(PriorityQueueTest, NothingIsGivenOutAfterShutDownAndNothingIsLost_PQ14) {
  queue_.Add("foo");
  queue_.Add("bar");
  EXPECT_EQ(queue_.Get(), "foo");
  queue_.ShutDown();
  queue_.Add("late");
  EXPECT_EQ(queue_.Get(), std::nullopt);
  EXPECT_FALSE(queue_.GetWithPriority().has_value());
  queue_.Done("foo");
  EXPECT_THAT(queue_.Waiting(), ElementsAre("bar"));
}

TEST_F(PriorityQueueTest, DelayedThenAddedIsCountedOnce_PQ16) {
  queue_.AddWithOpts({.after = hours(1)}, "foo");
  EXPECT_EQ(queue_.Len(), 0U);
  EXPECT_THAT(Depth(), IsEmpty());
  queue_.Add("foo");
  EXPECT_EQ(queue_.Len(), 1U);
  EXPECT_THAT(Depth(), ElementsAre(Pair("0", 1)));
  EXPECT_EQ(queue_.Get(), "foo");
  EXPECT_EQ(queue_.Len(), 0U);
  EXPECT_THAT(Depth(), ElementsAre(Pair("0", 0)));
  EXPECT_EQ(Adds(), 1);
  queue_.Done("foo");
  sim_.RunFor(hours(2));
  EXPECT_EQ(queue_.Len(), 0U) << "the delay is over";
}

TEST_F(PriorityQueueTest, DelayedAtZeroAddedAtOne_PQ17) {
  queue_.AddWithOpts({.after = hours(1)}, "foo");
  queue_.AddWithOpts({.priority = 1}, "foo");
  EXPECT_THAT(Depth(), ElementsAre(Pair("1", 1)));
  EXPECT_THAT(Take(queue_), Pair("foo", 1));
  EXPECT_THAT(Depth(), ElementsAre(Pair("1", 0)));
}

TEST_F(PriorityQueueTest, FivePrioritiesByAThousand_PQ18) {
  for (const int delay : {-1, 0, 1}) {
    const int adds = std::max(Adds(), 0);
    const int retries = std::max(Retries(), 0);
    for (int i = 0; i < 1000; ++i) {
      for (const int priority : {-10, -5, 0, 5, 10}) {
        queue_.AddWithOpts({.after = seconds(delay), .priority = priority},
                           std::to_string(priority) + "/" + std::to_string(i));
      }
    }
    sim_.RunFor(seconds(1));
    EXPECT_EQ(Adds() - adds, 5000);
    EXPECT_EQ(Retries() - retries, delay > 0 ? 5000 : 0);
    for (const int priority : {10, 5, 0, -5, -10}) {
      for (int i = 0; i < 1000; ++i) {
        ASSERT_THAT(Take(queue_),
                    Pair(std::to_string(priority) + "/" + std::to_string(i), priority));
        queue_.Done(std::to_string(priority) + "/" + std::to_string(i));
      }
    }
    EXPECT_EQ(queue_.Len(), 0U);
  }
}

TEST_F(PriorityQueueTest, ABlockedWorkerGetsADelayedItemAtItsTime_PQ19) {
  const SteadyTime start = env_.Now();
  SteadyTime got{};
  const auto worker = env_.NewThread("w", [&] {
    EXPECT_EQ(queue_.Get(), "foo");
    got = env_.Now();
  });
  sim_.RunReady();
  queue_.AddWithOpts({.after = seconds(1)}, "foo");
  sim_.RunFor(milliseconds(999));
  EXPECT_EQ(got, SteadyTime());
  worker->Join();
  EXPECT_EQ(got - start, seconds(1));
  EXPECT_THAT(Depth(), ElementsAre(Pair("0", 0)));
  EXPECT_EQ(Adds(), 1);
  EXPECT_EQ(Retries(), 1);
}

TEST_F(PriorityQueueTest, HighItemBecomingReady_GoesFirst_PQ20) {
  queue_.AddWithOpts({.priority = -100}, "low");
  queue_.AddWithOpts({.after = seconds(1)}, "high");
  sim_.RunFor(seconds(1));
  EXPECT_THAT(Take(queue_), Pair("high", 0));
  EXPECT_THAT(Depth(), ElementsAre(Pair("-100", 1), Pair("0", 0)));
}

TEST_F(PriorityQueueTest, TwoDelaysThatEndInOneStep_PQ21) {
  queue_.AddWithOpts({.after = seconds(1)}, "foo");
  queue_.AddWithOpts({.after = milliseconds(200)}, "bar");
  sim_.RunFor(seconds(1));
  EXPECT_THAT(TakeAll(queue_), ElementsAre("bar", "foo"));
}

// Items that are due together are ordered by priority, then by the order of adding.
TEST_F(PriorityQueueTest, DelaysThatEndAtOneTime_PQ21) {
  queue_.AddWithOpts({.after = seconds(1), .priority = 1}, "raised");
  queue_.AddWithOpts({.after = seconds(1), .priority = 2}, "other");
  queue_.AddWithOpts({.after = seconds(2), .priority = 2}, "raised");
  sim_.RunFor(seconds(1));
  EXPECT_THAT(TakeAll(queue_), ElementsAre("other", "raised"));
}

TEST_F(PriorityQueueTest, ADelayedItemThatIsAddedComesAtOnce_PQ22) {
  std::string got;
  const auto worker = env_.NewThread("w", [&] { got = queue_.Get().value_or("(none)"); });
  sim_.RunReady();
  queue_.AddWithOpts({.after = minutes(1)}, "foo");
  sim_.RunReady();
  EXPECT_EQ(got, "");
  queue_.AddWithOpts({}, "foo");
  sim_.RunReady();
  EXPECT_EQ(got, "foo");
  EXPECT_EQ(Adds(), 1);
  worker->Join();
}

// An item that is added again while in process is given to the waiting worker after Done.
TEST_F(PriorityQueueTest, BlockedWorker_GetsReaddedItemAfterDone) {
  queue_.Add("foo");
  EXPECT_EQ(queue_.Get(), "foo");
  queue_.Add("foo");
  std::string got;
  const auto worker = env_.NewThread("w", [&] { got = queue_.Get().value_or("(none)"); });
  sim_.RunFor(seconds(1));
  EXPECT_EQ(got, "");
  queue_.Done("foo");
  sim_.RunReady();
  EXPECT_EQ(got, "foo");
  queue_.ShutDown();
  worker->Join();
}

TEST_F(PriorityQueueTest, RateLimitsAreOfEachItem_PQ23) {
  for (int i = 0; i < 7; ++i) {
    queue_.AddRateLimited("old");
    sim_.RunFor(minutes(1));
    EXPECT_THAT(TakeAll(queue_), ElementsAre("old"));
  }
  const std::vector<std::string> both = {"new", "old"};
  queue_.AddWithOpts({.rate_limited = true}, both);
  sim_.RunFor(milliseconds(5) - Duration(1));
  EXPECT_EQ(queue_.Len(), 0U);
  sim_.RunFor(Duration(1));
  EXPECT_THAT(TakeAll(queue_), ElementsAre("new"));
  sim_.RunFor(milliseconds(635) - Duration(1));
  EXPECT_EQ(queue_.Len(), 0U);
  sim_.RunFor(Duration(1));
  EXPECT_THAT(TakeAll(queue_), ElementsAre("old"));
  EXPECT_EQ(queue_.NumRequeues("old"), 8);
  queue_.Forget("old");
  EXPECT_EQ(queue_.NumRequeues("old"), 0);
}

TEST_F(PriorityQueueTest, TheEarlierOfDelayAndRateLimitCounts) {
  queue_.AddWithOpts({.after = milliseconds(2), .rate_limited = true}, "a");
  queue_.AddWithOpts({.after = minutes(1), .rate_limited = true}, "b");
  sim_.RunFor(milliseconds(2));
  EXPECT_THAT(TakeAll(queue_), ElementsAre("a"));
  sim_.RunFor(milliseconds(3));
  EXPECT_THAT(TakeAll(queue_), ElementsAre("b"));
}

TEST_F(PriorityQueueTest, SeveralItemsInOneCall) {
  const std::vector<std::string> items = {"a", "b", "a", "c"};
  queue_.AddWithOpts({.priority = 3}, items);
  EXPECT_THAT(queue_.Waiting(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(Adds(), 3);
}

TEST_F(PriorityQueueTest, DrainGivesOutWhatWaitsAndShutDownEndsIt) {
  queue_.Add("a");
  queue_.AddWithOpts({.priority = 1}, "b");
  queue_.AddAfter("delayed", seconds(1));
  bool drained = false;
  const auto drainer = env_.NewThread("d", [&] { drained = queue_.ShutDownWithDrain(); });
  sim_.RunFor(seconds(5));
  EXPECT_THAT(TakeAll(queue_), ElementsAre("b", "a"));
  drainer->Join();
  EXPECT_TRUE(drained);

  Queue other(env_);
  other.Add("a");
  bool returned = false;
  const auto second = env_.NewThread("d", [&] {
    EXPECT_FALSE(other.ShutDownWithDrain());
    returned = true;
  });
  sim_.RunFor(seconds(1));
  EXPECT_FALSE(returned);
  other.ShutDown();
  second->Join();
  EXPECT_EQ(other.Get(), std::nullopt);
}

TEST_F(PriorityQueueTest, ManyPrioritiesShareALabel_PQ26) {
  for (int priority = 0; priority < 30; ++priority) {
    queue_.AddWithOpts({.priority = priority}, std::to_string(priority));
  }
  std::map<std::string, int> depth = Depth();
  EXPECT_EQ(depth.size(), 26U);
  EXPECT_EQ(depth["exceeded_cardinality_limit"], 5);
  EXPECT_EQ(TakeAll(queue_).size(), 30U);
  for (const auto& [priority, count] : Depth()) EXPECT_EQ(count, 0) << priority;
}

TEST_F(PriorityQueueTest, WorkersAndTheirRetriesAreThoseOfTheOtherQueues) {
  std::map<std::string, int> calls;
  const Workers workers = RunWorkers(env_, queue_, 2, [&](const std::string& item) -> Result<void> {
    if (++calls[item] < 3 && item == "bad") return Error(Reason::kConflict, "not yet");
    return {};
  });
  queue_.Add("bad");
  queue_.Add("good");
  sim_.RunFor(minutes(1));
  EXPECT_THAT(calls, ElementsAre(Pair("bad", 3), Pair("good", 1)));
  EXPECT_EQ(queue_.NumRequeues("bad"), 0);
}

// ---- ageing

TEST_F(PriorityQueueTest, Ageing_RaisesWaitingItems) {
  Queue queue(env_, {.ageing = seconds(10)});
  queue.Add("low");
  sim_.RunFor(seconds(19));
  queue.AddWithOpts({.priority = 2}, "before the time");
  EXPECT_THAT(queue.Waiting(), ElementsAre("before the time", "low"));
  sim_.RunFor(seconds(2));
  queue.AddWithOpts({.priority = 2}, "too late");
  EXPECT_THAT(queue.Waiting(), ElementsAre("before the time", "low", "too late"));
  EXPECT_THAT(TakeAll(queue), ElementsAre("before the time", "low", "too late"));
}

TEST_F(PriorityQueueTest, WithoutAgeingALowItemMayWaitForEver) {
  for (const Duration off : {Duration::zero(), Duration::max()}) {
    Queue queue(env_, {.ageing = off});
    queue.Add("low");
    for (int i = 0; i < 10; ++i) {
      sim_.RunFor(hours(1000));
      queue.AddWithOpts({.priority = 1}, "high");
      EXPECT_EQ(queue.Get(), "high");
      queue.Done("high");
    }
    EXPECT_EQ(queue.Get(), "low");
    queue.Done("low");
  }
}

// A controller that never catches up with the items of priority 0.
TEST_F(PriorityQueueTest, Ageing_BoundsWaitOfLowItem) {
  queue_.AddWithOpts({.priority = -100}, "initial");
  const SteadyTime start = env_.Now();
  int next = 0;
  for (;;) {
    queue_.Add("event" + std::to_string(next++));
    queue_.Add("event" + std::to_string(next++));
    const std::string taken = *queue_.Get();
    queue_.Done(taken);
    sim_.RunFor(milliseconds(100));
    if (taken == "initial" || env_.Now() - start > hours(1)) break;
  }
  // The 2000 items of its first 100 s come first, and ten items are taken each second.
  EXPECT_GE(env_.Now() - start, seconds(199));
  EXPECT_LE(env_.Now() - start, seconds(201));
}

// With ageing, a raised priority does not cost an item the time it has waited.
TEST_F(PriorityQueueTest, ARiseNeverMovesAnItemBack) {
  Queue queue(env_, {.ageing = seconds(1)});
  queue.Add("old");
  sim_.RunFor(seconds(10));
  queue.Add("other");
  queue.AddWithOpts({.priority = 1}, "old");
  EXPECT_THAT(Take(queue), Pair("old", 1));
  EXPECT_THAT(Take(queue), Pair("other", 0));
}

TEST_F(PriorityQueueTest, PrioritiesMayBeAsFarApartAsTheyLike) {
  Queue queue(env_, {.ageing = hours(24 * 365)});
  constexpr int kLow = std::numeric_limits<int>::min();
  constexpr int kHigh = std::numeric_limits<int>::max();
  queue.AddWithOpts({.priority = kLow}, "lowest");
  queue.AddWithOpts({.priority = kLow + 1}, "low");
  queue.AddWithOpts({.priority = kHigh}, "highest");
  queue.AddWithOpts({.priority = kHigh - 1}, "high");
  EXPECT_THAT(TakeAll(queue), ElementsAre("highest", "high", "low", "lowest"));
}

}  // namespace
}  // namespace kinformer
