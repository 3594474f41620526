// The queues with real threads, for the thread sanitizer; includes the conformance cases PQ about
// threads.

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/workqueue/priority_queue.h"
#include "kinformer/workqueue/rate_limiting_queue.h"
#include "kinformer/workqueue/worker.h"

namespace kinformer {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(BucketRateLimiterThreads, TenThreadsShareABucket_FC09) {
  Runtime runtime({.log = NewNullLog()});
  Env& env = runtime.env();
  BucketRateLimiter<int> limiter(env, 100, 1);
  const SteadyTime begun = env.Now();
  std::atomic<std::int64_t> last{0};  // when the last token is available, in nanoseconds
  std::vector<std::unique_ptr<Thread>> threads;
  for (int t = 0; t < 10; ++t) {
    threads.push_back(env.NewThread("taker", [&, t] {
      for (int i = 0; i < 10; ++i) {
        const Duration wait = limiter.When(t * 10 + i);
        const SteadyTime there = env.Now() + wait;
        std::int64_t latest = last.load();
        while (latest < (there - begun).count() &&
               !last.compare_exchange_weak(latest, (there - begun).count())) {
        }
      }
    }));
  }
  threads.clear();
  EXPECT_GE(Duration(last.load()), milliseconds(989)) << "a hundred tokens, one of them at once";
}

TEST(QueueThreadsTest, NoItemIsLostOrHeldTwice) {
  Runtime runtime({.log = NewNullLog()});
  Env& env = runtime.env();
  constexpr std::size_t kItems = 40;
  std::vector<std::atomic<int>> wanted(kItems);
  std::vector<std::atomic<int>> seen(kItems);
  std::vector<std::atomic<int>> holders(kItems);
  std::atomic<int> failures{0};
  RateLimitingQueue<std::size_t> queue(
      env, std::make_unique<ItemExponentialFailureRateLimiter<std::size_t>>(microseconds(10),
                                                                            microseconds(200)));
  Workers workers = RunWorkers(env, queue, 3, [&](std::size_t item) -> Result<void> {
    EXPECT_EQ(holders[item].fetch_add(1), 0);
    const int level = wanted[item].load();
    const bool fail = failures.fetch_add(1) % 7 == 0;
    if (!fail) seen[item].store(level);
    holders[item].fetch_sub(1);
    if (fail) return Error(Reason::kConflict, "again");
    return {};
  });
  std::vector<std::unique_ptr<Thread>> producers;
  for (int p = 0; p < 3; ++p) {
    producers.push_back(env.NewThread("producer", [&, p] {
      for (int i = 0; i < 2000; ++i) {
        const auto item = static_cast<std::size_t>(i * (p + 1)) % kItems;
        wanted[item].fetch_add(1);
        if (i % 3 == 0) {
          queue.AddAfter(item, microseconds(i % 50));
        } else {
          queue.Add(item);
        }
      }
    }));
  }
  producers.clear();
  // Once nothing is left to do, the last value of every item must have been seen.
  const SteadyTime deadline = env.Now() + std::chrono::seconds(60);
  const auto settled = [&] {
    for (std::size_t i = 0; i < kItems; ++i) {
      if (seen[i].load() != wanted[i].load()) return false;
    }
    return true;
  };
  while (!settled() && env.Now() < deadline) env.SleepFor(std::chrono::milliseconds(1));
  EXPECT_TRUE(settled());
  EXPECT_TRUE(queue.ShutDownWithDrain(std::chrono::seconds(60)));
  workers.Join();
}

AddOpts RandomOpts(std::mt19937& random) {
  AddOpts opts;
  if (random() % 2 == 0) opts.after = microseconds(random() % 200);
  if (random() % 2 == 0) opts.priority = static_cast<int>(random() % 7) - 3;
  return opts;
}

// In each round, some threads add 1000 items in total, and 100 consumers take ten each.
TEST(PriorityQueueThreadsTest, ManyOfEverything_PQ15) {
  Runtime runtime({.log = NewNullLog()});
  Env& env = runtime.env();
  PriorityQueue<int> queue(env);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::unique_ptr<Thread>> threads;
    for (int c = 0; c < 100; ++c) {
      threads.push_back(env.NewThread("consumer", [&] {
        for (int i = 0; i < 10; ++i) {
          const auto item = queue.GetWithPriority();
          if (!item) {
            ADD_FAILURE() << "shut down";
            return;
          }
          queue.Done(item->item);
        }
      }));
    }
    for (int p = 0; p < 2; ++p) {
      threads.push_back(env.NewThread("producer", [&, p] {
        std::mt19937 random(static_cast<unsigned>(2 * round + p));
        for (int i = 0; i < 500; ++i) queue.AddWithOpts(RandomOpts(random), 2 * i + p);
      }));
    }
    threads.clear();  // joins
    EXPECT_EQ(queue.Len(), 0U);
    EXPECT_EQ(queue.Delayed(), 0U);
  }
}

TEST(PriorityQueueThreadsTest, ShutDownWhileItemsAreHandedOver_PQ24) {
  Runtime runtime({.log = NewNullLog()});
  Env& env = runtime.env();
  for (int round = 0; round < 200; ++round) {
    PriorityQueue<int> queue(env);
    std::atomic<std::size_t> taken{0};
    std::vector<std::unique_ptr<Thread>> threads;
    for (int c = 0; c < 3; ++c) {
      threads.push_back(env.NewThread("consumer", [&] {
        while (const auto item = queue.Get()) {
          taken.fetch_add(1);
          queue.Done(*item);
        }
      }));
    }
    threads.push_back(env.NewThread("closer", [&] { queue.ShutDown(); }));
    std::size_t added = 0;
    for (int i = 0; i < 50; ++i) {
      if (queue.ShuttingDown()) break;
      queue.Add(i);
      ++added;
    }
    threads.clear();  // joins: no thread may be stuck
    queue.Add(1000);
    // The last item may have been added too late.
    const std::size_t there = taken.load() + queue.Len();
    EXPECT_TRUE(there == added || there + 1 == added) << there << " of " << added;
    EXPECT_EQ(queue.Waiting().size(), queue.Len());
  }
}

// Threads add, take, add again while they hold an item, and call Done. Each add must be followed by
// a Get of its item.
TEST(PriorityQueueThreadsTest, RandomOperations_PQ25) {
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  Runtime runtime({.log = NewNullLog(), .metrics = metrics});
  Env& env = runtime.env();
  constexpr std::size_t kItems = 60;
  PriorityQueue<std::size_t> queue(env, {.name = "q", .ageing = microseconds(100)});
  std::vector<std::atomic<int>> wanted(kItems);
  std::vector<std::atomic<int>> seen(kItems);
  std::vector<std::atomic<int>> holders(kItems);
  const auto add = [&](std::mt19937& random) {
    const std::size_t item = random() % kItems;
    wanted[item].fetch_add(1);
    queue.AddWithOpts(RandomOpts(random), item);
  };
  std::vector<std::unique_ptr<Thread>> workers;
  for (unsigned w = 0; w < 4; ++w) {
    workers.push_back(env.NewThread("worker", [&, w] {
      std::mt19937 random(w);
      for (int adds = 0;;) {
        const auto taken = queue.GetWithPriority();
        if (!taken) return;
        EXPECT_EQ(holders[taken->item].fetch_add(1), 0);
        EXPECT_GE(taken->priority, -3);
        EXPECT_LE(taken->priority, 3);
        seen[taken->item].store(wanted[taken->item].load());
        for (; adds < 2000 && random() % 2 == 0; ++adds) add(random);
        holders[taken->item].fetch_sub(1);
        queue.Done(taken->item);
      }
    }));
  }
  std::vector<std::unique_ptr<Thread>> producers;
  for (unsigned p = 0; p < 3; ++p) {
    producers.push_back(env.NewThread("producer", [&, p] {
      std::mt19937 random(100 + p);
      for (int i = 0; i < 3000; ++i) add(random);
    }));
  }
  producers.clear();
  const auto all_seen = [&] {
    for (std::size_t i = 0; i < kItems; ++i) {
      if (seen[i].load() != wanted[i].load()) return false;
    }
    return true;
  };
  const SteadyTime deadline = env.Now() + seconds(60);
  while (!all_seen() && env.Now() < deadline) env.SleepFor(milliseconds(1));
  EXPECT_TRUE(all_seen());
  EXPECT_TRUE(queue.ShutDownWithDrain(seconds(60)));
  workers.clear();
  EXPECT_TRUE(queue.Waiting().empty());
  const std::string text = metrics->Text();
  for (int priority = -3; priority <= 3; ++priority) {
    const std::string line =
        "workqueue_depth{name=\"q\",priority=\"" + std::to_string(priority) + "\"} 0\n";
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

}  // namespace
}  // namespace kinformer
