// Conformance cases of the queues (WQ, DQ, RQ), in simulated time. WQ06 and WQ07 test the visible
// effects of client-go's pluggable storage (Touch), which does not exist here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/object/object_name.h"
#include "kinformer/workqueue/rate_limiting_queue.h"
#include "kinformer/workqueue/worker.h"

#include "workqueue/testing/queue_fixture.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Strings = std::vector<std::string>;

// 50 producers add 50 keys each, 10 consumers take them; ends with a ShutDown or a drain.
void ProduceAndConsume(std::uint64_t seed, bool drain, bool readd) {
  Simulation sim({.seed = seed});
  Env& env = sim.env();
  WorkQueue<int> queue(env);
  std::map<int, int> seen;
  std::map<int, int> held;
  std::vector<std::unique_ptr<Thread>> consumers;
  for (int c = 0; c < 10; ++c) {
    consumers.push_back(env.NewThread("c" + std::to_string(c), [&] {
      while (const std::optional<int> item = queue.Get()) {
        ASSERT_NE(*item, -1) << "added after shutdown";
        ASSERT_EQ(++held[*item], 1) << "two workers have " << *item;
        env.SleepFor(milliseconds(3));
        if (++seen[*item] == 1 && readd) queue.Add(*item);
        --held[*item];
        queue.Done(*item);
      }
    }));
  }
  std::vector<std::unique_ptr<Thread>> producers;
  for (int p = 0; p < 50; ++p) {
    producers.push_back(env.NewThread("p" + std::to_string(p), [&, p] {
      for (int i = 0; i < 50; ++i) {
        queue.Add(p);
        env.SleepFor(milliseconds(1));
      }
    }));
  }
  producers.clear();  // joins
  if (readd) sim.RunFor(minutes(1));
  if (drain) {
    EXPECT_TRUE(queue.ShutDownWithDrain());
    EXPECT_EQ(queue.Len(), 0U);
  } else {
    queue.ShutDown();
  }
  queue.Add(-1);
  consumers.clear();
  EXPECT_EQ(queue.Len(), 0U);
  EXPECT_EQ(seen.size(), 50U);
  if (readd) {
    for (const auto& [item, times] : seen) EXPECT_GE(times, 2) << item;
  }
}

TEST(QueueConformance, ProducersAndConsumers_WQ01_02_03) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    ProduceAndConsume(seed, false, false);
    ProduceAndConsume(seed, true, false);
    ProduceAndConsume(seed, false, true);
    ProduceAndConsume(seed, true, true);
  }
}

TEST_F(QueueTest, LenCountsDistinctItems_WQ04) {
  WorkQueue<std::string> queue(env_);
  queue.Add("foo");
  EXPECT_EQ(queue.Len(), 1U);
  queue.Add("bar");
  EXPECT_EQ(queue.Len(), 2U);
  queue.Add("foo");
  EXPECT_EQ(queue.Len(), 2U);
  EXPECT_THAT(queue.Waiting(), ElementsAre("foo", "bar"));
}

TEST_F(QueueTest, AnItemAddedWhileHeldComesAgain_WQ05) {
  WorkQueue<std::string> queue(env_);
  queue.Add("foo");
  EXPECT_EQ(queue.Get(), "foo");
  queue.Add("foo");
  EXPECT_EQ(queue.Len(), 0U);
  queue.Done("foo");
  EXPECT_EQ(queue.Get(), "foo");
  queue.Done("foo");
  EXPECT_EQ(queue.Len(), 0U);
}

TEST_F(QueueTest, AddingAWaitingItemKeepsItsPlace_WQ06) {
  WorkQueue<std::string> queue(env_);
  queue.Add("bar");
  queue.Add("baz");
  queue.Add("bar");
  EXPECT_THAT(TakeAll(queue), ElementsAre("bar", "baz"));
}

TEST_F(QueueTest, ABlockedWorkerGetsTheItemOnlyAfterDone_WQ07) {
  WorkQueue<std::string> queue(env_);
  queue.Add("bar");
  EXPECT_EQ(queue.Get(), "bar");
  queue.Add("bar");
  queue.Add("bar");
  bool got = false;
  const auto worker = env_.NewThread("w", [&] {
    EXPECT_EQ(queue.Get(), "bar");
    got = true;
    queue.Done("bar");
  });
  sim_.RunFor(minutes(1));
  EXPECT_FALSE(got);
  queue.Done("bar");
  worker->Join();
  EXPECT_TRUE(got);
  EXPECT_EQ(queue.Len(), 0U);
}

TEST_F(QueueTest, DrainWaitsForTheLastDone_WQ08) {
  WorkQueue<std::string> queue(env_);
  for (const char* item : {"foo", "bar"}) {
    queue.Add(item);
    EXPECT_EQ(queue.Get(), item);
  }
  bool drained = false;
  const auto drainer = env_.NewThread("d", [&] { drained = queue.ShutDownWithDrain(); });
  // A second drain: both must return.
  const auto second = env_.NewThread("e", [&] { EXPECT_TRUE(queue.ShutDownWithDrain()); });
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(queue.ShuttingDown());
  queue.Done("foo");
  sim_.RunFor(seconds(1));
  EXPECT_FALSE(drained);
  queue.Done("bar");
  drainer->Join();
  second->Join();
  EXPECT_TRUE(drained);
}

TEST_F(QueueTest, ShutDownWaitsForNobodyAndMayBeRepeated_WQ09_14) {
  WorkQueue<std::string> queue(env_);
  queue.Add("foo");
  EXPECT_EQ(queue.Get(), "foo");
  queue.ShutDown();
  queue.ShutDown();
  EXPECT_EQ(queue.Get(), std::nullopt);
  queue.Done("foo");
}

TEST_F(QueueTest, ShutDownEndsADrain_WQ10) {
  WorkQueue<std::string> queue(env_);
  queue.Add("foo");
  EXPECT_EQ(queue.Get(), "foo");
  bool returned = false;
  const auto drainer = env_.NewThread("d", [&] {
    EXPECT_FALSE(queue.ShutDownWithDrain());
    returned = true;
  });
  sim_.RunFor(seconds(1));
  EXPECT_FALSE(returned);
  queue.ShutDown();
  drainer->Join();
}

TEST_F(QueueTest, DrainIncludesAnItemThatComesAgain_WQ11) {
  WorkQueue<std::string> queue(env_);
  queue.Add("foo");
  EXPECT_EQ(queue.Get(), "foo");
  queue.Add("foo");
  bool returned = false;
  const auto drainer = env_.NewThread("d", [&] {
    EXPECT_TRUE(queue.ShutDownWithDrain());
    returned = true;
  });
  sim_.RunFor(seconds(1));
  queue.Done("foo");
  sim_.RunFor(seconds(1));
  EXPECT_FALSE(returned);
  EXPECT_EQ(queue.Get(), "foo");
  queue.Done("foo");
  drainer->Join();
  EXPECT_EQ(queue.Get(), std::nullopt);
}

TEST_F(QueueTest, NothingOfADoneItemIsKept_WQ12) {
  struct SharedHash {
    std::size_t operator()(const std::shared_ptr<int>& p) const noexcept {
      return static_cast<std::size_t>(*p);
    }
  };
  WorkQueue<std::shared_ptr<int>, SharedHash> queue(env_);
  auto first = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = first;
  queue.Add(first);
  queue.Add(std::make_shared<int>(2));
  first.reset();
  EXPECT_FALSE(watch.expired());
  queue.Done(*queue.Get());
  EXPECT_TRUE(watch.expired());
  EXPECT_EQ(queue.Len(), 1U);
}

TEST_F(QueueTest, NothingOfADelayedItemIsKeptOnceTheQueueIsShutDown) {
  DelayingQueue<std::shared_ptr<int>> queue(env_);
  auto item = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = item;
  queue.AddAfter(item, seconds(1));
  item.reset();
  EXPECT_FALSE(watch.expired());
  queue.ShutDown();
  EXPECT_TRUE(watch.expired());
}

TEST_F(QueueTest, NamesOfAnyLengthAreToldApart) {
  WorkQueue<ObjectName> queue(env_);
  std::vector<ObjectName> names{{"a", "bc"}, {"ab", "c"}, {"", "abc"}};
  for (const std::size_t length : {254U, 255U, 256U, 70'000U}) {
    names.push_back({std::string(length, 'x'), "y"});
    names.push_back({"x", std::string(length, 'y')});
  }
  for (int i = 0; i < 2; ++i) {
    for (const ObjectName& name : names) queue.Add(name);
  }
  EXPECT_EQ(queue.Waiting(), names);
  for (const ObjectName& name : names) {
    EXPECT_EQ(queue.Get(), name);
    queue.Done(name);
  }
  EXPECT_EQ(queue.Len(), 0U);
}

TEST_F(QueueTest, WaitingItemsAtShutDown_AreStillGivenOut_WQ13) {
  WorkQueue<std::string> queue(env_);
  queue.Add("a");
  queue.Add("b");
  queue.ShutDown();
  queue.Add("c");
  EXPECT_EQ(queue.Get(), "a");
  EXPECT_EQ(queue.Get(), "b");
  EXPECT_EQ(queue.Get(), std::nullopt);
}

TEST_F(QueueTest, DrainLeavesNothingWaitingOrTellsSoAtItsDeadline_WQ15) {
  WorkQueue<std::string> queue(env_);
  queue.Add("a");
  EXPECT_TRUE(sim_.RunBlocking(
      [&] {
        const SteadyTime start = env_.Now();
        EXPECT_FALSE(queue.ShutDownWithDrain(seconds(5)));
        EXPECT_EQ(env_.Now() - start, seconds(5));
      },
      minutes(1)));
  EXPECT_EQ(queue.Get(), "a");
  queue.Done("a");
  EXPECT_TRUE(queue.ShutDownWithDrain(seconds(5)));
}

TEST_F(QueueTest, DoneForAnItemThatNobodyHasIsIgnored) {
  WorkQueue<std::string> queue(env_);
  queue.Done("x");
  queue.Add("x");
  queue.Done("x");
  EXPECT_THAT(queue.Waiting(), ElementsAre("x"));
}

TEST_F(QueueTest, GetOnTheLoopDoesNotWait) {
  WorkQueue<std::string> queue(env_);
  env_.loop().Post([&] {
    EXPECT_EQ(queue.Get(), std::nullopt);
    queue.Add("x");
    EXPECT_EQ(queue.Get(), "x");
    EXPECT_FALSE(queue.ShutDownWithDrain());
  });
  sim_.RunReady();
}

TEST_F(QueueTest, DestructionLetsBlockedWorkersGo) {
  auto queue = std::make_unique<WorkQueue<std::string>>(env_);
  int empty = 0;
  std::vector<std::unique_ptr<Thread>> workers;
  for (int i = 0; i < 3; ++i) {
    workers.push_back(env_.NewThread("w", [&] { empty += queue->Get() ? 0 : 1; }));
  }
  sim_.RunFor(seconds(1));
  queue.reset();
  workers.clear();
  EXPECT_EQ(empty, 3);
}

TEST_F(QueueTest, DestructionLetsDrainersAndWorkersGo) {
  auto queue = std::make_unique<WorkQueue<std::string>>(env_);
  queue->Add("held");
  EXPECT_EQ(queue->Get(), "held");
  int gone = 0;
  std::vector<std::unique_ptr<Thread>> threads;
  threads.push_back(env_.NewThread("worker", [&] { gone += queue->Get() ? 0 : 1; }));
  sim_.RunFor(seconds(1));
  for (int i = 0; i < 2; ++i) {
    threads.push_back(
        env_.NewThread("drainer", [&] { gone += queue->ShutDownWithDrain() ? 0 : 1; }));
  }
  sim_.RunFor(seconds(1));
  EXPECT_EQ(gone, 1) << "the worker went when the drain began";
  queue.reset();
  threads.clear();
  EXPECT_EQ(gone, 3);
}

// ---- delaying

TEST_F(QueueTest, AnItemComesAfterItsDelayAndOnce_DQ01_02) {
  DelayingQueue<std::string> queue(env_);
  queue.AddAfter("foo", milliseconds(50));
  EXPECT_EQ(queue.Len(), 0U);
  EXPECT_EQ(queue.Delayed(), 1U);
  sim_.RunFor(milliseconds(49));
  EXPECT_EQ(queue.Len(), 0U);
  sim_.RunFor(milliseconds(11));
  EXPECT_THAT(TakeAll(queue), ElementsAre("foo"));
  sim_.RunFor(seconds(10));
  EXPECT_EQ(queue.Len(), 0U);
}

struct DuplicateCase {
  int first_ms;
  int second_ms;
  int step_ms;
};

TEST_F(QueueTest, TheEarlierOfTwoDelaysWins_DQ03_04) {
  for (const DuplicateCase c : {DuplicateCase{50, 70, 60}, DuplicateCase{50, 30, 40}}) {
    DelayingQueue<std::string> queue(env_);
    queue.AddAfter("foo", milliseconds(c.first_ms));
    queue.AddAfter("foo", milliseconds(c.second_ms));
    sim_.RunFor(milliseconds(c.step_ms));
    EXPECT_THAT(TakeAll(queue), ElementsAre("foo"));
    sim_.RunFor(milliseconds(20));
    EXPECT_EQ(queue.Len(), 0U);
  }
}

TEST_F(QueueTest, DelaysEndInTheirOrder_DQ05_06) {
  DelayingQueue<std::string> queue(env_);
  queue.AddAfter("foo", seconds(1));
  queue.AddAfter("bar", milliseconds(50));
  sim_.RunFor(milliseconds(60));
  EXPECT_THAT(TakeAll(queue), ElementsAre("bar"));
  queue.AddAfter("baz", seconds(2));
  sim_.RunFor(seconds(1));
  EXPECT_THAT(TakeAll(queue), ElementsAre("foo"));
  sim_.RunFor(seconds(2));
  EXPECT_THAT(TakeAll(queue), ElementsAre("baz"));

  queue.AddAfter("first", seconds(1));
  queue.AddAfter("second", milliseconds(500));
  queue.AddAfter("third", milliseconds(250));
  sim_.RunFor(seconds(2));
  EXPECT_THAT(TakeAll(queue), ElementsAre("third", "second", "first"));

  for (const char* item : {"a", "b", "c", "d"}) queue.AddAfter(item, seconds(1));
  sim_.RunFor(seconds(1));
  EXPECT_THAT(TakeAll(queue), ElementsAre("a", "b", "c", "d")) << "equal times: first come";
}

TEST_F(QueueTest, AThousandDelaysEndInTheirOrder_DQ06) {
  DelayingQueue<int> queue(env_);
  std::map<int, int> by_delay;
  for (int i = 0; i < 1000; ++i) {
    const int delay = (i * 7919) % 1009 + 1;
    by_delay.emplace(delay, i);
    queue.AddAfter(i, milliseconds(delay + 500));
    queue.AddAfter(i, milliseconds(delay));  // comes earlier now
  }
  sim_.RunFor(seconds(2));
  std::vector<int> expected;
  for (const auto& [delay, item] : by_delay) expected.push_back(item);
  EXPECT_EQ(queue.Waiting(), expected);
}

TEST_F(QueueTest, NoDelayMeansNowAndCountsAsRetry_DQ07_WM06) {
  RateLimitingQueue<std::string> queue(env_, {.name = "q"});
  queue.AddAfter("a", milliseconds(0));
  queue.AddAfter("b", milliseconds(-5));
  queue.AddAfter("c", seconds(1));
  EXPECT_THAT(queue.Waiting(), ElementsAre("a", "b"));
  queue.AddRateLimited("a");
  EXPECT_THAT(metrics_->Text(), HasSubstr("workqueue_retries_total{name=\"q\"} 4\n"));
}

TEST_F(QueueTest, APlainAddDoesNotEndTheDelay_DQ08) {
  DelayingQueue<std::string> queue(env_);
  queue.AddAfter("foo", seconds(1));
  queue.Add("foo");
  EXPECT_THAT(TakeAll(queue), ElementsAre("foo"));
  sim_.RunFor(seconds(2));
  EXPECT_THAT(TakeAll(queue), ElementsAre("foo"));
}

TEST_F(QueueTest, ShuttingDownDropsDelays_DQ09) {
  for (const bool drain : {false, true}) {
    DelayingQueue<std::string> queue(env_);
    queue.AddAfter("foo", seconds(1));
    if (drain) {
      EXPECT_TRUE(queue.ShutDownWithDrain());
    } else {
      queue.ShutDown();
    }
    queue.AddAfter("bar", milliseconds(1));
    queue.AddAfter("bar", milliseconds(0));
    sim_.RunFor(seconds(5));
    EXPECT_EQ(queue.Len(), 0U);
    EXPECT_EQ(queue.Delayed(), 0U);
  }
}

TEST_F(QueueTest, AQueueMayGoWhileDelaysAreUnderWay) {
  {
    DelayingQueue<std::string> queue(env_);
    queue.AddAfter("foo", seconds(1));
    queue.AddAfter("never", Duration::max());
  }
  sim_.RunFor(seconds(2));
}

// ---- rate limiting

TEST_F(QueueTest, RetriesAreSpacedPerItem_RQ01_02_03) {
  RateLimitingQueue<std::string> queue(
      env_, std::make_unique<ItemExponentialFailureRateLimiter<std::string>>(milliseconds(1),
                                                                             seconds(1)));
  // Adds the item and returns how long it takes to come back.
  const auto away = [&](const std::string& item) {
    const SteadyTime start = env_.Now();
    queue.AddRateLimited(item);
    EXPECT_TRUE(sim_.RunUntil([&] { return queue.Len() == 1; }, minutes(1)));
    EXPECT_THAT(TakeAll(queue), ElementsAre(item));
    return env_.Now() - start;
  };
  EXPECT_EQ(away("one"), milliseconds(1));
  EXPECT_EQ(away("one"), milliseconds(2));
  EXPECT_EQ(queue.NumRequeues("one"), 2);
  EXPECT_EQ(away("two"), milliseconds(1));
  EXPECT_EQ(away("two"), milliseconds(2));
  queue.Forget("one");
  EXPECT_EQ(queue.NumRequeues("one"), 0);
  EXPECT_EQ(queue.NumRequeues("two"), 2);
  EXPECT_EQ(away("one"), milliseconds(1));
}

TEST_F(QueueTest, RunWorkersRetriesUntilItSucceeds) {
  RateLimitingQueue<ObjectName> queue(env_, {.name = "pods"});
  std::map<std::string, int> calls;
  Workers workers = RunWorkers(env_, queue, 2, [&](const ObjectName& key) -> Result<void> {
    const int call = ++calls[key.name];
    if (key.name == "bad" && call < 4) return Error(Reason::kConflict, "not yet");
    if (key.name == "ugly" && call < 2) throw std::runtime_error("boom");
    return {};
  });
  for (const char* name : {"good", "bad", "ugly"}) queue.Add(ObjectName{"default", name});
  sim_.RunFor(minutes(1));
  EXPECT_EQ(calls, (std::map<std::string, int>{{"good", 1}, {"bad", 4}, {"ugly", 2}}));
  EXPECT_EQ(queue.NumRequeues(ObjectName{"default", "bad"}), 0);
  queue.ShutDown();
}

// Queue and workers end with their scope, and nobody called ShutDown.
TEST_F(QueueTest, WorkersEndInTheOrderOfTheirDeclaration) {
  RateLimitingQueue<ObjectName> queue(env_);
  std::vector<std::string> worked_off;
  {
    const Workers workers = RunWorkers(env_, queue, 2, [&](const ObjectName& key) -> Result<void> {
      worked_off.push_back(key.name);
      return {};
    });
    queue.Add(ObjectName{"default", "one"});
  }
  EXPECT_TRUE(queue.ShuttingDown());
  EXPECT_THAT(worked_off, ElementsAre("one"));
}

TEST_F(QueueTest, StopFunctionThrows_WorkersEnd) {
  RateLimitingQueue<ObjectName> queue(env_);
  bool ended = false;
  {
    std::vector<std::unique_ptr<Thread>> threads;
    threads.push_back(env_.NewThread("worker", [&] { ended = !queue.Get().has_value(); }));
    const Workers workers(std::move(threads), [&queue] {
      queue.ShutDown();
      throw std::runtime_error("no");
    });
  }
  EXPECT_TRUE(ended);
}

TEST_F(QueueTest, ReplacedWorkers_End) {
  RateLimitingQueue<ObjectName> first(env_);
  RateLimitingQueue<ObjectName> second(env_);
  const auto nothing = [](const ObjectName&) -> Result<void> { return {}; };
  Workers workers = RunWorkers(env_, first, 1, nothing);
  workers = RunWorkers(env_, second, 1, nothing);
  EXPECT_TRUE(first.ShuttingDown());
  EXPECT_FALSE(second.ShuttingDown());
  workers.Stop();
  workers.Stop();
  EXPECT_TRUE(second.ShuttingDown());
}

class MessageLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kError; }
  void Log(LogLevel, std::string_view message, std::initializer_list<LogField>) override {
    messages.emplace_back(message);
  }
  Strings messages{};
};

TEST(QueueLog, Misuse_IsLogged) {
  const auto log = std::make_shared<MessageLog>();
  Simulation sim({.log = log});
  WorkQueue<std::string> queue(sim.env());
  queue.Done("x");
  sim.env().loop().Post([&] {
    EXPECT_EQ(queue.Get(), std::nullopt);
    queue.Add("x");
    EXPECT_EQ(queue.Get(), "x");
    EXPECT_FALSE(queue.ShutDownWithDrain());
    EXPECT_EQ(log->messages.size(), 3U) << "what is drained already waits for nothing";
    queue.Done("x");
    EXPECT_TRUE(queue.ShutDownWithDrain());
  });
  sim.RunReady();
  EXPECT_EQ(log->messages, (Strings{"Done called for an item that no worker has; ignored",
                                    "Get called on an event loop with nothing to give; not waiting",
                                    "ShutDownWithDrain called on an event loop; not waiting"}));
}

class KeyLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel, std::string_view, std::initializer_list<LogField> fields) override {
    for (const LogField& field : fields) {
      if (field.key == "key") keys.push_back(field.value);
    }
  }
  Strings keys{};
};

TEST(WorkerLog, AFailureIsLoggedWithItsKey) {
  const auto log = std::make_shared<KeyLog>();
  Simulation sim({.log = log});
  {
    RateLimitingQueue<ObjectName> names(sim.env());
    RateLimitingQueue<int> numbers(sim.env());
    const auto fail_once = [](int& calls) -> Result<void> {
      if (++calls > 1) return {};
      return Error(Reason::kConflict, "not yet");
    };
    int name_calls = 0;
    int number_calls = 0;
    const Workers one =
        RunWorkers(sim.env(), names, 1, [&](const ObjectName&) { return fail_once(name_calls); });
    const Workers two =
        RunWorkers(sim.env(), numbers, 1, [&](int) { return fail_once(number_calls); });
    names.Add(ObjectName{"default", "web-0"});
    numbers.Add(7);
    sim.RunFor(seconds(5));
  }
  EXPECT_THAT(log->keys, ::testing::UnorderedElementsAre("default/web-0", "7"));
}

}  // namespace
}  // namespace kinformer
