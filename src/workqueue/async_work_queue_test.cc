#include "kinformer/workqueue/async_work_queue.h"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/base/task.h"
#include "kinformer/workqueue/delaying_queue.h"
#include "kinformer/workqueue/priority_queue.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using Texts = std::vector<std::string>;

// Takes items until the queue ends, and gives each back.
template <class Queue>
Task<Result<int>> Worker(Queue* queue, Texts* taken, std::stop_token stop) {
  const AsyncWorkQueue items(*queue);
  int count = 0;
  while (true) {
    const std::optional<std::string> item = co_await items.Get(stop);
    if (!item) co_return count;
    ++count;
    taken->push_back(*item);
    queue->Done(*item);
  }
}

class AsyncWorkQueueTest : public testing::Test {
 protected:
  template <class Queue>
  std::shared_ptr<std::optional<int>> Start(Queue& queue, std::stop_token stop = {}) {
    auto count = std::make_shared<std::optional<int>>();
    Spawn<Result<int>>(sim_.env(), sim_.env().loop(), Worker(&queue, &taken_, std::move(stop)),
                       [count](const Result<int>& got) { *count = *got; });
    sim_.RunReady();
    return count;
  }

  Simulation sim_;
  Texts taken_;
};

TEST_F(AsyncWorkQueueTest, Workers_TakeItemsOnTheLoopUntilTheQueueEnds) {
  DelayingQueue<std::string> queue(sim_.env());
  queue.Add("a");
  const auto first = Start(queue);
  const auto second = Start(queue);
  EXPECT_EQ(taken_, Texts{"a"});
  queue.Add("b");
  queue.AddAfter("d", seconds(3));
  queue.Add("c");
  sim_.RunReady();
  EXPECT_EQ(taken_, (Texts{"a", "b", "c"}));
  sim_.RunFor(seconds(4));
  EXPECT_EQ(taken_, (Texts{"a", "b", "c", "d"}));
  EXPECT_FALSE(*first || *second);
  queue.Add("e");
  queue.ShutDown();
  sim_.RunReady();
  ASSERT_TRUE(*first && *second);
  EXPECT_EQ(**first + **second, 5) << "waiting items are returned";
}

TEST_F(AsyncWorkQueueTest, AStoppedWorker_LeavesItsItemToTheOthers) {
  WorkQueue<std::string> queue(sim_.env());
  std::stop_source stop;
  const auto stopped = Start(queue, stop.get_token());
  const auto stays = Start(queue);
  queue.Add("a");
  stop.request_stop();  // after it was chosen for the item, and before it runs
  sim_.RunReady();
  ASSERT_TRUE(*stopped);
  EXPECT_EQ(taken_, Texts{"a"});
  queue.Add("b");
  sim_.RunReady();
  EXPECT_EQ(taken_, (Texts{"a", "b"}));
  queue.ShutDown();
  sim_.RunReady();
  EXPECT_TRUE(*stays);
}

TEST_F(AsyncWorkQueueTest, PriorityQueue_GivesTheMostUrgentItem) {
  PriorityQueue<std::string> queue(sim_.env());
  queue.AddWithOpts({.priority = -1}, "low");
  queue.AddWithOpts({.priority = 5}, "high");
  const auto worker = Start(queue);
  EXPECT_EQ(taken_, (Texts{"high", "low"}));
  queue.ShutDown();
  sim_.RunReady();
  EXPECT_TRUE(*worker);
}

TEST_F(AsyncWorkQueueTest, ADrain_WaitsForTasksThatWork) {
  WorkQueue<std::string> queue(sim_.env());
  const auto worker = Start(queue);
  queue.Add("a");
  bool drained = false;
  EXPECT_TRUE(sim_.RunBlocking([&] { drained = queue.ShutDownWithDrain(); }, seconds(10)));
  EXPECT_TRUE(drained);
  sim_.RunReady();
  EXPECT_EQ(taken_, Texts{"a"});
  EXPECT_TRUE(*worker);
}

TEST_F(AsyncWorkQueueTest, ATaskThatWaits_OutlivesItsQueue) {
  auto queue = std::make_unique<WorkQueue<std::string>>(sim_.env());
  std::optional<bool> got;
  const auto take = [](AsyncWorkQueue<std::string> items) -> Task<Result<bool>> {
    const std::optional<std::string> item = co_await items.Get();
    co_return item.has_value();
  };
  Spawn<Result<bool>>(sim_.env(), sim_.env().loop(), take(AsyncWorkQueue(*queue)),
                      [&](const Result<bool>& has) { got = *has; });
  sim_.RunReady();
  EXPECT_FALSE(got);
  queue.reset();
  sim_.RunReady();
  ASSERT_TRUE(got);
  EXPECT_FALSE(*got) << "there was no item";
}

}  // namespace
}  // namespace kinformer
