// The queues under real threads, for the thread sanitizer.

#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <vector>

#include "kinformer/rate_limiting_queue.h"
#include "kinformer/runtime.h"
#include "kinformer/worker.h"

namespace kinformer {
namespace {

using std::chrono::microseconds;

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
  // Every level must have been seen once nothing is left to do.
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

}  // namespace
}  // namespace kinformer
