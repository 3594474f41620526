// Metrics of the queues: the conformance cases WM, in simulated time.

#include <gtest/gtest.h>
#include <string>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/workqueue/priority_queue.h"
#include "kinformer/workqueue/rate_limiting_queue.h"

#include "workqueue/testing/queue_fixture.h"

namespace kinformer {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class QueueMetricsTest : public QueueTest {
 protected:
  testing::AssertionResult Shows(const std::string& line) {
    const std::string text = metrics_->Text();
    if (text.find("workqueue_" + line + "\n") != std::string::npos) {
      return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "no line workqueue_" << line << " in\n" << text;
  }
};

TEST_F(QueueMetricsTest, CountsAndTimes_WM01_02_03) {
  WorkQueue<std::string> queue(env_, {.name = "q"});
  EXPECT_TRUE(Shows("depth{name=\"q\"} 0")) << "from the beginning";
  queue.Add("foo");
  EXPECT_TRUE(Shows("adds_total{name=\"q\"} 1"));
  EXPECT_TRUE(Shows("depth{name=\"q\"} 1"));
  sim_.RunFor(microseconds(50));
  EXPECT_EQ(queue.Get(), "foo");
  EXPECT_TRUE(Shows("queue_duration_seconds_sum{name=\"q\"} 5e-05"));
  EXPECT_TRUE(Shows("depth{name=\"q\"} 0"));
  queue.Add("foo");
  queue.Add("foo");
  EXPECT_TRUE(Shows("adds_total{name=\"q\"} 2"));
  EXPECT_TRUE(Shows("depth{name=\"q\"} 1"));
  EXPECT_EQ(queue.Len(), 0U);
  sim_.RunFor(microseconds(25));
  queue.Done("foo");
  EXPECT_TRUE(Shows("work_duration_seconds_sum{name=\"q\"} 2.5e-05"));
  EXPECT_TRUE(Shows("depth{name=\"q\"} 1"));
  sim_.RunFor(microseconds(10));
  EXPECT_EQ(queue.Get(), "foo");
  EXPECT_TRUE(Shows("depth{name=\"q\"} 0"));
  EXPECT_TRUE(Shows("queue_duration_seconds_sum{name=\"q\"} 8.5e-05")) << "from the re-add";
}

TEST_F(QueueMetricsTest, ARaisedItemHasWaitedSinceItWasAdded) {
  PriorityQueue<std::string> queue(env_, {.name = "q"});
  queue.AddWithOpts({.priority = -5}, "foo");
  sim_.RunFor(microseconds(50));
  queue.Add("foo");
  sim_.RunFor(microseconds(25));
  queue.AddWithOpts({.priority = 5}, "foo");
  sim_.RunFor(microseconds(25));
  EXPECT_EQ(queue.Get(), "foo");
  EXPECT_TRUE(Shows("queue_duration_seconds_sum{name=\"q\"} 1e-04"));
  queue.Add("foo");
  queue.Done("foo");
  sim_.RunFor(microseconds(10));
  EXPECT_EQ(queue.Get(), "foo");
  EXPECT_TRUE(Shows("queue_duration_seconds_sum{name=\"q\"} 0.00011")) << "from the re-add";
}

TEST_F(QueueMetricsTest, ItemsInProcess_AgesAreReported_WM04_05) {
  WorkQueue<std::string> queue(env_, {.name = "q"});
  queue.Add("a");
  EXPECT_EQ(queue.Get(), "a");
  sim_.RunFor(milliseconds(250));
  queue.Add("b");
  EXPECT_EQ(queue.Get(), "b");
  sim_.RunFor(milliseconds(250));
  EXPECT_TRUE(Shows("unfinished_work_seconds{name=\"q\"} 0.75"));
  EXPECT_TRUE(Shows("longest_running_processor_seconds{name=\"q\"} 0.5"));
  queue.Done("a");
  queue.Done("b");
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(Shows("unfinished_work_seconds{name=\"q\"} 0"));
  EXPECT_TRUE(Shows("longest_running_processor_seconds{name=\"q\"} 0"));
  EXPECT_FALSE(sim_.RunUntil([] { return false; }, minutes(1)));
  queue.Add("c");
  EXPECT_EQ(queue.Get(), "c");
  queue.ShutDown();
  sim_.RunFor(seconds(2));
  EXPECT_TRUE(Shows("unfinished_work_seconds{name=\"q\"} 0"));
  queue.Done("c");
}

// In any order of Done: items still in process keep their own start times.
TEST_F(QueueMetricsTest, ItemsInProcess_KeepTheirStartTimes_WM04_05) {
  WorkQueue<std::string> queue(env_, {.name = "q"});
  for (const char* item : {"a", "b", "c"}) {
    queue.Add(item);
    EXPECT_EQ(queue.Get(), item);
    sim_.RunFor(milliseconds(125));
  }
  queue.Done("a");
  EXPECT_TRUE(Shows("work_duration_seconds_sum{name=\"q\"} 0.375"));
  sim_.RunFor(milliseconds(125));
  EXPECT_TRUE(Shows("unfinished_work_seconds{name=\"q\"} 0.625"));
  EXPECT_TRUE(Shows("longest_running_processor_seconds{name=\"q\"} 0.375"));
  queue.Done("c");
  EXPECT_TRUE(Shows("work_duration_seconds_sum{name=\"q\"} 0.625"));
  queue.Done("b");
  EXPECT_TRUE(Shows("work_duration_seconds_sum{name=\"q\"} 1"));
}

TEST_F(QueueMetricsTest, AQueueThatIsShutDownWakesTheLoopNoMore) {
  DelayingQueue<std::string> queue(env_, {.name = "q"});
  queue.Add("held");
  EXPECT_EQ(queue.Get(), "held");
  queue.AddAfter("later", minutes(1));
  queue.ShutDown();
  const SteadyTime before = env_.Now();
  EXPECT_FALSE(sim_.RunUntil([] { return false; }, minutes(5)));
  EXPECT_EQ(env_.Now(), before) << "neither the delay's timer nor the ticker";
  queue.Done("held");
}

TEST_F(QueueMetricsTest, UnnamedQueue_HasNoMetrics_WM07) {
  DelayingQueue<std::string> queue(env_);
  queue.AddAfter("a", milliseconds(0));
  EXPECT_EQ(queue.Get(), "a");
  const SteadyTime before = env_.Now();
  EXPECT_FALSE(sim_.RunUntil([] { return false; }, minutes(1)));
  EXPECT_EQ(env_.Now(), before) << "no ticker";
  queue.Done("a");
  EXPECT_EQ(metrics_->Text(), "");
}

TEST(QueueWithoutMetrics, NamedQueueWithoutSink_HasNoTicker_WM07) {
  Simulation sim;
  DelayingQueue<std::string> queue(sim.env(), {.name = "q"});
  queue.AddAfter("a", milliseconds(0));
  EXPECT_EQ(queue.Get(), "a");
  const SteadyTime before = sim.env().Now();
  EXPECT_FALSE(sim.RunUntil([] { return false; }, minutes(1)));
  EXPECT_EQ(sim.env().Now(), before) << "no ticker";
  queue.Done("a");
}
}  // namespace
}  // namespace kinformer
