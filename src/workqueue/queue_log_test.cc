// Log lines about items that workers have taken and not finished.

#include <chrono>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/workqueue/work_queue.h"

#include "base/core/testing/fields_log.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using Strings = std::vector<std::string>;

TEST(QueueLog, ItemsThatAreNeverGivenBackAreCounted) {
  const auto log = std::make_shared<internal::base::FieldsLog>();
  Simulation sim({.log = log});
  const auto take = [](auto& queue, const std::string& item) {
    queue.Add(item);
    EXPECT_EQ(queue.Get(), item);
  };
  {
    WorkQueue<std::string> queue(sim.env());
    take(queue, "x");
    queue.Add("y");
    EXPECT_TRUE(
        sim.RunBlocking([&] { EXPECT_FALSE(queue.ShutDownWithDrain(seconds(5))); }, minutes(1)));
    EXPECT_EQ(log->lines, Strings{"the queue has not drained in time: 1 item was taken with Get "
                                  "and not given back with Done waiting=1"});
    EXPECT_EQ(queue.Get(), "y");
    queue.Done("x");
    queue.Done("y");
    EXPECT_TRUE(queue.ShutDownWithDrain(seconds(5)));
  }
  EXPECT_EQ(log->lines.size(), 1U) << "all were given back by the end";
  log->lines.clear();
  {
    WorkQueue<std::string> queue(sim.env());
    take(queue, "x");
    take(queue, "y");
    queue.ShutDown();
    EXPECT_TRUE(log->lines.empty()) << "the workers may be busy";
  }
  EXPECT_EQ(log->lines, Strings{"the queue ends, of which 2 items were taken with Get and never "
                                "given back with Done"});
  log->lines.clear();
  {
    WorkQueue<std::string> queue(sim.env());
    queue.Add("waits");
    EXPECT_TRUE(
        sim.RunBlocking([&] { EXPECT_FALSE(queue.ShutDownWithDrain(seconds(5))); }, minutes(1)));
  }
  EXPECT_TRUE(log->lines.empty()) << "nobody has anything";
}

TEST(QueueLog, AQueueWithMetricsIsNamed) {
  const auto log = std::make_shared<internal::base::FieldsLog>();
  Simulation sim({.log = log, .metrics = NewTextMetrics()});
  {
    WorkQueue<int> queue(sim.env(), {.name = "pods"});
    queue.Add(1);
    EXPECT_EQ(queue.Get(), 1);
    EXPECT_TRUE(
        sim.RunBlocking([&] { EXPECT_FALSE(queue.ShutDownWithDrain(seconds(5))); }, minutes(1)));
  }
  EXPECT_EQ(log->Count("the queue \"pods\" has not drained in time: 1 item was"), 1U);
  EXPECT_EQ(log->Count("the queue \"pods\" ends, of which 1 item was"), 1U);
}

// A log sink may use the queue that logs.
TEST(QueueLog, TheSinkIsCalledWithoutTheLock) {
  struct Reader final : LogSink {
    [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
    void Log(LogLevel, std::string_view, std::initializer_list<LogField>) override {
      lengths.push_back(queue->Len());
    }
    WorkQueue<int>* queue = nullptr;
    std::vector<std::size_t> lengths{};
  };
  const auto log = std::make_shared<Reader>();
  Simulation sim({.log = log});
  {
    WorkQueue<int> queue(sim.env());
    log->queue = &queue;
    queue.Add(1);
    queue.Add(2);
    EXPECT_EQ(queue.Get(), 1);
    EXPECT_TRUE(
        sim.RunBlocking([&] { EXPECT_FALSE(queue.ShutDownWithDrain(seconds(5))); }, minutes(1)));
  }
  EXPECT_THAT(log->lengths, ElementsAre(1U, 1U));
}

}  // namespace
}  // namespace kinformer
