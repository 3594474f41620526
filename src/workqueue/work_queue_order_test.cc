// Work queues with an order of the program's own.

#include "kinformer/workqueue/work_queue_order.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/workqueue/delaying_queue.h"
#include "kinformer/workqueue/work_queue.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Newest first. Notes what it is called with.
class Newest final : public WorkQueueOrder<std::string> {
 public:
  struct Seen {
    std::vector<std::string> pushed{};
    std::vector<std::string> touched{};
    bool throws = false;
    std::optional<std::string> instead{};  // what Pop returns
  };
  explicit Newest(Seen& seen) : seen_(seen) {}
  void Push(const std::string& item) override {
    if (seen_.throws) throw std::runtime_error("no place");
    seen_.pushed.push_back(item);
    items_.push_back(item);
  }
  void Touch(const std::string& item) override {
    if (seen_.throws) throw std::runtime_error("no touch");
    seen_.touched.push_back(item);
  }
  std::optional<std::string> Pop() override {
    if (seen_.throws) throw std::runtime_error("no item");
    if (seen_.instead) return seen_.instead;
    if (items_.empty()) return std::nullopt;
    std::string last = std::move(items_.back());
    items_.pop_back();
    return last;
  }

 private:
  Seen& seen_;
  std::vector<std::string> items_;
};

class WorkQueueOrderTest : public ::testing::Test {
 protected:
  // Takes all items that wait, and gives them back.
  std::vector<std::string> Drain(WorkQueue<std::string>& queue) {
    std::vector<std::string> items;
    while (queue.Len() > 0) {
      items.push_back(queue.Get().value());
      queue.Done(items.back());
    }
    return items;
  }
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.seed = 4, .metrics = metrics_}};
  Newest::Seen seen_;
};

TEST_F(WorkQueueOrderTest, ItemsComeInTheOrderOfTheProgram) {
  WorkQueue<std::string> queue(sim_.env(), std::make_unique<Newest>(seen_), {.name = "q"});
  for (const char* item : {"a", "b", "c", "b"}) queue.Add(item);
  EXPECT_THAT(seen_.pushed, ElementsAre("a", "b", "c"));
  EXPECT_THAT(seen_.touched, ElementsAre("b"));
  EXPECT_THAT(queue.Waiting(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(queue.Get(), "c");
  queue.Add("c");  // waits for its worker
  EXPECT_THAT(seen_.pushed, ElementsAre("a", "b", "c"));
  EXPECT_THAT(seen_.touched, ElementsAre("b"));
  queue.Add("d");
  EXPECT_EQ(queue.Get(), "d");
  queue.Done("c");
  EXPECT_THAT(seen_.pushed, ElementsAre("a", "b", "c", "d", "c"));
  EXPECT_THAT(Drain(queue), ElementsAre("c", "b", "a"));
  queue.Done("d");
  EXPECT_THAT(metrics_->Text(), HasSubstr("workqueue_depth{name=\"q\"} 0"));
}

TEST_F(WorkQueueOrderTest, ADelayedItemIsPushedWhenItsTimeHasCome) {
  DelayingQueue<std::string> queue(sim_.env(), std::make_unique<Newest>(seen_));
  queue.Add("a");
  queue.AddAfter("b", seconds(5));
  EXPECT_THAT(seen_.pushed, ElementsAre("a"));
  sim_.RunFor(seconds(5));
  EXPECT_THAT(Drain(queue), ElementsAre("b", "a"));
}

TEST_F(WorkQueueOrderTest, AnOrderThatThrowsOrErrsLosesNoItem) {
  WorkQueue<std::string> queue(sim_.env(), std::make_unique<Newest>(seen_));
  seen_.throws = true;
  for (const char* item : {"a", "b", "a"}) queue.Add(item);
  EXPECT_EQ(queue.Get(), "a") << "the one that has waited longest";
  seen_.throws = false;
  for (const char* item : {"c", "d"}) queue.Add(item);
  for (const char* wrong : {"a", "absent"}) {  // a worker has the first
    seen_.instead = wrong;
    EXPECT_NE(queue.Get(), wrong);
  }
  seen_.instead.reset();
  EXPECT_EQ(queue.Get(), "d");
  EXPECT_EQ(queue.Len(), 0U);
  EXPECT_THAT(metrics_->Text(), HasSubstr("kinformer_user_exceptions_total"));
}

TEST_F(WorkQueueOrderTest, WaitingItemsComeInOrderAfterAShutdown) {
  WorkQueue<std::string> queue(sim_.env(), std::make_unique<Newest>(seen_));
  for (const char* item : {"a", "b"}) queue.Add(item);
  queue.ShutDown();
  EXPECT_EQ(queue.Get(), "b");
  EXPECT_EQ(queue.Get(), "a");
  EXPECT_EQ(queue.Get(), std::nullopt);
}

TEST_F(WorkQueueOrderTest, TheDefaultOrderIsFirstInFirstOut) {
  const auto order = DefaultQueue<std::string>();
  EXPECT_EQ(order->Pop(), std::nullopt);
  WorkQueue<std::string> queue(sim_.env(), DefaultQueue<std::string>());
  for (const char* item : {"a", "b", "a", "c"}) queue.Add(item);
  EXPECT_THAT(Drain(queue), ElementsAre("a", "b", "c"));
  WorkQueue<std::string> none(sim_.env(), std::unique_ptr<WorkQueueOrder<std::string>>());
  for (const char* item : {"a", "b"}) none.Add(item);
  EXPECT_THAT(Drain(none), ElementsAre("a", "b"));
  WorkQueue<std::string> plain(sim_.env(), {});
  for (const char* item : {"a", "b"}) plain.Add(item);
  EXPECT_THAT(Drain(plain), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace kinformer
