#include "base/loop/timer_queue.h"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinformer::internal::base {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

SteadyTime At(int second) { return SteadyTime(seconds(second)); }

// Runs all that is due.
void RunDue(TimerQueue& queue, SteadyTime now) {
  while (std::optional<TimerQueue::Due> due = queue.PopDue(now)) due->Run();
}

TEST(TimerQueueTest, Due_InOrderOfTimeThenOfAdding) {
  TimerQueue queue;
  std::string order;
  std::vector<Timer> timers;
  const std::pair<int, char> rows[] = {{3, 'd'}, {1, 'a'}, {2, 'b'}, {2, 'c'}, {4, 'e'}};
  for (const auto& row : rows) {
    timers.push_back(queue.Add(At(row.first), [&order, name = row.second] { order += name; }));
  }
  RunDue(queue, At(0));
  EXPECT_EQ(order, "");
  RunDue(queue, At(1) - nanoseconds(1));
  EXPECT_EQ(order, "");
  RunDue(queue, At(1));
  EXPECT_EQ(order, "a");
  RunDue(queue, At(3));
  EXPECT_EQ(order, "abcd");
  RunDue(queue, At(9));
  RunDue(queue, At(9));
  EXPECT_EQ(order, "abcde");
}

TEST(TimerQueueTest, PopDue_SaysWhenItWasDueAndRemovesIt) {
  TimerQueue queue;
  EXPECT_FALSE(queue.PopDue(At(9)).has_value());
  const Timer first = queue.Add(At(1), [] {});
  const Timer second = queue.Add(At(2), [] {});
  const std::optional<TimerQueue::Due> due = queue.PopDue(At(9));
  ASSERT_TRUE(due.has_value());
  EXPECT_EQ(due->when, At(1));
  EXPECT_EQ(queue.Next(), At(2));
  EXPECT_FALSE(queue.PopDue(At(1)).has_value());
  EXPECT_EQ(queue.PopDue(At(2))->when, At(2));
  EXPECT_EQ(queue.Next(), std::nullopt);
}

TEST(TimerQueueTest, Earliest_IsSaidOfTheFirstOnly) {
  TimerQueue queue;
  struct Row {
    int when;
    bool earliest;
  };
  const Row rows[] = {{5, true}, {5, false}, {6, false}, {4, true}, {4, false}, {1, true}};
  std::vector<Timer> timers;
  for (const Row& row : rows) {
    bool earliest = !row.earliest;
    timers.push_back(queue.Add(At(row.when), [] {}, &earliest));
    EXPECT_EQ(earliest, row.earliest) << row.when;
  }
  EXPECT_EQ(queue.Next(), At(1));
  timers.push_back(queue.Add(At(0), [] {}));  // nobody asks
  EXPECT_EQ(queue.Next(), At(0));
}

TEST(TimerQueueTest, OnDue_DecidesWhereTheTaskRuns) {
  TimerQueue queue;
  int runs = 0;
  std::vector<std::shared_ptr<TimedTask>> given;
  bool earliest = false;
  Timer timer = queue.Add(
      At(1), [&] { ++runs; },
      [&](std::shared_ptr<TimedTask> task) { given.push_back(std::move(task)); }, &earliest);
  EXPECT_TRUE(earliest);
  RunDue(queue, At(1));
  ASSERT_EQ(given.size(), 1U);
  EXPECT_EQ(runs, 0);
  given[0]->Run();
  given[0]->Run();
  EXPECT_EQ(runs, 1) << "once";
  timer = queue.Add(
      At(1), [&] { ++runs; },
      [&](std::shared_ptr<TimedTask> task) { given.push_back(std::move(task)); });
  RunDue(queue, At(1));
  timer.Cancel();
  given.at(1)->Run();
  EXPECT_EQ(runs, 1) << "cancelled after it was due and before it ran";
}

TEST(TimerQueueTest, CancelledTimer_LeavesTheQueue) {
  TimerQueue queue;
  const auto owned = std::make_shared<int>(1);
  Timer first = queue.Add(At(1), [owned] {});
  Timer second = queue.Add(At(2), [owned] {});
  EXPECT_TRUE(first.armed());
  first.Cancel();
  EXPECT_FALSE(first.armed());
  EXPECT_EQ(owned.use_count(), 2);
  EXPECT_EQ(queue.Next(), At(2));
  first.Cancel();  // does nothing
  EXPECT_EQ(queue.Next(), At(2));
  second = Timer();
  EXPECT_EQ(queue.Next(), std::nullopt);
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(TimerQueueTest, AssignedTimer_CancelsThePreviousOne) {
  TimerQueue queue;
  std::string order;
  Timer timer = queue.Add(At(1), [&] { order += "a"; });
  timer = queue.Add(At(2), [&] { order += "b"; });
  Timer other = std::move(timer);
  Timer& same = other;
  other = std::move(same);
  EXPECT_TRUE(other.armed());
  EXPECT_EQ(queue.Next(), At(2));
  RunDue(queue, At(3));
  EXPECT_EQ(order, "b");
  EXPECT_TRUE(other.armed());
}

TEST(TimerQueueTest, Clear_DestroysTasksWhoseHandlesRemain) {
  const auto owned = std::make_shared<int>(1);
  Timer timer;
  Timer later;
  {
    TimerQueue queue;
    timer = queue.Add(At(1), [owned] {});
    EXPECT_EQ(owned.use_count(), 2);
    queue.Clear();
    EXPECT_EQ(owned.use_count(), 1);
    EXPECT_EQ(queue.Next(), std::nullopt);
    later = queue.Add(At(1), [owned] {});
  }
  EXPECT_EQ(owned.use_count(), 1);
  later.Cancel();
}

// A task may own the last handle of its own timer.
TEST(TimerQueueTest, TaskThatOwnsItsTimer_IsDestroyedByCancel) {
  TimerQueue queue;
  auto owner = std::make_shared<Timer>();
  Timer& timer = *owner;
  const std::weak_ptr<Timer> seen = owner;
  timer = queue.Add(At(1), [held = std::move(owner)] {});
  EXPECT_FALSE(seen.expired());
  timer.Cancel();
  EXPECT_TRUE(seen.expired());
}

}  // namespace
}  // namespace kinformer::internal::base
