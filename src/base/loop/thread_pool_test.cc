// Threads of a pool: how many there are, when they start, and how it stops.

#include "base/loop/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"

#include "base/core/testing/fields_log.h"
#include "base/loop/event_loop.h"

namespace kinformer::internal::base {
namespace {

using std::chrono::milliseconds;

// Counts the timers that a loop has run.
class TimerCount final : public MetricsSink {
 public:
  class Count final : public Histogram {
   public:
    void Observe(double /*value*/) override { runs.fetch_add(1); }
    std::atomic<int> runs{0};
  };
  class Nothing final : public Counter, public Gauge {
   public:
    void Add(double /*amount*/) override {}
    void Set(double /*value*/) override {}
  };
  std::shared_ptr<Counter> NewCounter(std::string_view, std::string_view, MetricLabels) override {
    return std::make_shared<Nothing>();
  }
  std::shared_ptr<Gauge> NewGauge(std::string_view, std::string_view, MetricLabels) override {
    return std::make_shared<Nothing>();
  }
  std::shared_ptr<Histogram> NewHistogram(std::string_view, std::string_view,
                                          MetricLabels) override {
    return count;
  }
  const std::shared_ptr<Count> count = std::make_shared<Count>();
};

// Keeps tasks inside until it is opened. Outlives their threads.
class Gate {
 public:
  ~Gate() { Open(); }
  // Returns a task that counts itself and waits.
  Closure Enter() {
    return [this] {
      entered.fetch_add(1);
      entered.notify_all();
      opened_.wait();
    };
  }
  void AwaitEntered(int count) {
    for (int now = entered.load(); now < count; now = entered.load()) entered.wait(now);
  }
  void Open() {
    if (!std::exchange(open_, true)) promise_.set_value();
  }
  std::atomic<int> entered{0};

 private:
  bool open_ = false;
  std::promise<void> promise_;
  const std::shared_future<void> opened_ = promise_.get_future().share();
};

class ThreadPoolTest : public ::testing::Test {
 protected:
  // Waits until all timers of the loop that are due before `when` have run.
  static void PassTimer(EventLoop& loop, SteadyTime when) {
    const auto passed = std::make_shared<std::promise<void>>();
    const Timer timer = loop.RunAt(when, [passed] { passed->set_value(); });
    passed->get_future().wait();
  }
  static SteadyTime Soon(milliseconds later) { return std::chrono::steady_clock::now() + later; }

  TimerCount metrics_;
  FieldsLog log_{LogLevel::kDebug};
  EventLoop loop_{{.thread_name = "loop"}, log_, metrics_};
  // A loop that nobody drives: none of its timers runs.
  EventLoop still_{{.host_driven = true}, log_, metrics_};
};

TEST_F(ThreadPoolTest, CoreThreads_StartWithTheirTasks) {
  struct Row {
    std::size_t core;
    std::size_t max;
    std::size_t want;
  };
  const Row rows[] = {{0, 0, 0}, {1, 1, 1}, {1, 3, 1}, {2, 3, 2}, {3, 3, 3},
                      {5, 2, 2}, {3, 0, 1}, {2, 1, 1}, {4, 9, 4}};
  for (const Row& row : rows) {
    Gate gate;
    ThreadPool pool(still_, {.thread_name = "p", .core_threads = row.core, .max_threads = row.max},
                    log_);
    EXPECT_EQ(pool.ThreadCountForTest(), 0U);
    for (std::size_t i = 1; i <= 6; ++i) {
      pool.Post(gate.Enter());
      EXPECT_EQ(pool.ThreadCountForTest(), std::min(i, row.want)) << row.core << " " << row.max;
    }
    gate.AwaitEntered(static_cast<int>(row.want));
    EXPECT_EQ(gate.entered.load(), static_cast<int>(row.want));
    gate.Open();
  }
}

TEST_F(ThreadPoolTest, FurtherThreads_StartEveryTenMilliseconds) {
  Gate gate;
  ThreadPool pool(loop_, {.thread_name = "p", .core_threads = 1, .max_threads = 3}, log_);
  pool.Post(gate.Enter());
  gate.AwaitEntered(1);
  const SteadyTime before = Soon(milliseconds(0));
  for (int i = 0; i < 4; ++i) pool.Post(gate.Enter());
  // The loop runs timers in the order of their times.
  PassTimer(loop_, Soon(milliseconds(15)));
  EXPECT_GE(pool.ThreadCountForTest(), 2U);
  gate.AwaitEntered(2);
  EXPECT_GE(std::chrono::steady_clock::now() - before, milliseconds(10));
  pool.Post(gate.Enter());  // does not hurry it
  gate.AwaitEntered(3);
  EXPECT_GE(std::chrono::steady_clock::now() - before, milliseconds(20));
  PassTimer(loop_, Soon(milliseconds(25)));
  EXPECT_EQ(pool.ThreadCountForTest(), 3U);
  EXPECT_EQ(gate.entered.load(), 3);
  EXPECT_EQ(metrics_.count->runs.load(), 4) << "two of this test, one for each further thread";
  gate.Open();
}

TEST_F(ThreadPoolTest, FullPool_NeedsNoTimer) {
  Gate gate;
  ThreadPool pool(loop_, {.thread_name = "p", .core_threads = 1, .max_threads = 1}, log_);
  for (int i = 0; i < 3; ++i) pool.Post(gate.Enter());
  PassTimer(loop_, Soon(milliseconds(15)));
  EXPECT_EQ(metrics_.count->runs.load(), 1) << "that of this test";
  EXPECT_EQ(pool.ThreadCountForTest(), 1U);
  gate.Open();
}

// The tasks that waited have been run before the loop looks after them.
TEST_F(ThreadPoolTest, NothingWaitsAnyMore_NoFurtherThread) {
  Gate gate;
  Gate second;
  ThreadPool pool(still_, {.thread_name = "p", .core_threads = 1, .max_threads = 3}, log_);
  pool.Post(gate.Enter());
  pool.Post(gate.Enter());
  gate.Open();
  gate.AwaitEntered(2);
  const int before = metrics_.count->runs.load();
  while (metrics_.count->runs.load() == before) {
    pollfd fd{.fd = still_.Fd(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(poll(&fd, 1, 20'000), 1);
    still_.RunReady(milliseconds(1));
  }
  EXPECT_EQ(pool.ThreadCountForTest(), 1U);
  // The next wait is watched again.
  pool.Post(second.Enter());
  second.AwaitEntered(1);
  pool.Post(second.Enter());
  while (second.entered.load() < 2) {
    pollfd fd{.fd = still_.Fd(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(poll(&fd, 1, 20'000), 1);
    still_.RunReady(milliseconds(1));
    if (pool.ThreadCountForTest() == 2) second.AwaitEntered(2);
  }
  second.Open();
}

// Threads beyond the core end where there is no work for them, and start again.
TEST_F(ThreadPoolTest, IdleThreads_EndDownToTheCore) {
  Gate gates[2];
  ThreadPool pool(loop_,
                  {.thread_name = "p",
                   .core_threads = 2,
                   .max_threads = 4,
                   .idle_life = std::chrono::microseconds(100)},
                  log_);
  for (Gate& gate : gates) {
    for (int i = 0; i < 4; ++i) pool.Post(gate.Enter());
    gate.AwaitEntered(4);
    EXPECT_EQ(pool.ThreadCountForTest(), 4U);
    gate.Open();
    while (pool.ThreadCountForTest() > 2) PassTimer(loop_, Soon(milliseconds(1)));
    PassTimer(loop_, Soon(milliseconds(5)));
    EXPECT_EQ(pool.ThreadCountForTest(), 2U);
  }
}

TEST_F(ThreadPoolTest, Tasks_StartInOrderAndMayThrow) {
  ThreadPool pool(still_, {.thread_name = "p-name", .core_threads = 1, .max_threads = 1}, log_);
  EXPECT_FALSE(pool.InThisExecutor());
  std::string order;
  const auto done = std::make_shared<std::promise<void>>();
  bool inside = false;
  for (const char c : {'a', 'b', 'c'}) pool.Post([&order, c] { order += c; });
  pool.Post([] { throw std::runtime_error("oops"); });
  pool.Post([&pool, &inside, done] {
    inside = pool.InThisExecutor();
    done->set_value();
  });
  done->get_future().wait();
  EXPECT_EQ(order, "abc");
  EXPECT_TRUE(inside);
  EXPECT_EQ(log_.text(), "a task threw where=p-name what=oops\n");
  // An idle thread is woken.
  const auto again = std::make_shared<std::promise<void>>();
  pool.Post([again] { again->set_value(); });
  again->get_future().wait();
}

TEST_F(ThreadPoolTest, Timer_RunsOnThePool) {
  std::promise<bool> ran;
  ThreadPool pool(loop_, {.thread_name = "p", .core_threads = 1, .max_threads = 1}, log_);
  const SteadyTime when = Soon(milliseconds(2));
  const Timer timer = pool.RunAt(when, [&] {
    ran.set_value(pool.InThisExecutor() && std::chrono::steady_clock::now() >= when);
  });
  EXPECT_TRUE(ran.get_future().get());
}

// A running task may wait for the destruction of one that waits.
TEST_F(ThreadPoolTest, Stop_DestroysWaitingTasksThenJoins) {
  std::promise<void> begun;
  std::promise<void> dropped;
  bool ended = false;
  bool ran = false;
  ThreadPool pool(still_, {.thread_name = "p", .core_threads = 1, .max_threads = 1}, log_);
  pool.Post([&] {
    begun.set_value();
    dropped.get_future().wait();
    ended = true;
  });
  begun.get_future().wait();
  const auto owned = std::make_shared<int>(1);
  pool.Post([&ran, owned, held = std::shared_ptr<void>(nullptr, [&](void*) {
                            dropped.set_value();
                          })] { ran = true; });
  EXPECT_EQ(owned.use_count(), 2);
  pool.Stop();
  EXPECT_TRUE(ended);
  EXPECT_FALSE(ran);
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_EQ(pool.ThreadCountForTest(), 0U);
  pool.Post([&ran, owned] { ran = true; });
  EXPECT_EQ(owned.use_count(), 1) << "a stopped pool takes no tasks";
  EXPECT_EQ(pool.ThreadCountForTest(), 0U);
  pool.Stop();
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace kinformer::internal::base
