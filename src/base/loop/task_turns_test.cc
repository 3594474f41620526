// TaskTurns: which tasks run in one turn of a loop.

#include "base/loop/task_turns.h"

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>

namespace kinformer::internal::base {
namespace {

class TaskTurnsTest : public ::testing::Test {
 protected:
  // Runs a turn of a queue that nobody stops.
  static bool Turn(TaskTurns& turns) {
    return turns.Turn([](Closure& task) { task(); }, [] { return false; });
  }

  // Adds a task that notes its letter and posts the task of the next letter, up to `last`.
  void AddChain(TaskTurns& turns, char letter, char last) {
    turns.Add([this, &turns, letter, last] {
      order_ += letter;
      if (letter < last) AddChain(turns, static_cast<char>(letter + 1), last);
    });
  }

  std::string order_;
  TaskTurns turns_{false};
};

TEST_F(TaskTurnsTest, OnlyTheFirstTask_NeedsATurn) {
  EXPECT_TRUE(turns_.Add([] {}));
  EXPECT_FALSE(turns_.Add([] {}));
  EXPECT_FALSE(Turn(turns_));
  EXPECT_TRUE(turns_.Add([] {}));
  turns_.NotAsked();
  EXPECT_TRUE(turns_.Add([] {})) << "nobody could be asked";
}

TEST_F(TaskTurnsTest, ShortChain_IsOneTurn) {
  // A busy machine may stop this thread for longer than a chain may take, but not each time.
  for (int i = 0; i < 1000 && order_ != "abc"; ++i) {
    order_.clear();
    AddChain(turns_, 'a', 'c');
    while (order_ != "abc" && Turn(turns_)) order_ += '|';
  }
  EXPECT_EQ(order_, "abc");
}

TEST_F(TaskTurnsTest, LongChain_LetsTheLoopLookForInput) {
  AddChain(turns_, 'a', 'g');
  int turns = 1;
  while (Turn(turns_)) ++turns;
  EXPECT_EQ(order_, "abcdefg");
  EXPECT_GE(turns, 3);
}

TEST_F(TaskTurnsTest, TaskThatTakesTime_EndsTheTurn) {
  turns_.Add([&] {
    const SteadyTime end = std::chrono::steady_clock::now() + 2 * TaskTurns::kBrief;
    turns_.Add([&] { order_ += "later"; });
    while (std::chrono::steady_clock::now() < end) {
    }
  });
  turns_.Add([&] { order_ += "same "; });
  EXPECT_TRUE(Turn(turns_));
  EXPECT_EQ(order_, "same ");
  EXPECT_FALSE(Turn(turns_));
  EXPECT_EQ(order_, "same later");
}

TEST_F(TaskTurnsTest, LoopThatTakesOneATurn_LeavesTheOthers) {
  TaskTurns turns(true);
  AddChain(turns, 'a', 'b');
  AddChain(turns, 'x', 'x');
  std::string seen;
  do {
    seen += order_ + ' ';
  } while (Turn(turns));
  EXPECT_EQ(seen + order_, " a ax axb");
}

TEST_F(TaskTurnsTest, Stopped_LeavesTheRestUntilItIsCleared) {
  const auto owned = std::make_shared<int>(1);
  bool stopped = false;
  turns_.Add([&, owned] { stopped = true; });
  turns_.Add([&, owned] { order_ += "not run"; });
  EXPECT_TRUE(turns_.Turn([](Closure& task) { task(); }, [&] { return stopped; }));
  EXPECT_EQ(order_, "");
  EXPECT_EQ(owned.use_count(), 2);
  turns_.Clear();
  EXPECT_EQ(owned.use_count(), 1);
}

TEST_F(TaskTurnsTest, TaskThatThrows_IsGoneAndTheOthersAreKept) {
  turns_.Add([] { throw std::runtime_error("task"); });
  turns_.Add([&] { order_ += "next"; });
  EXPECT_THROW(Turn(turns_), std::runtime_error);
  EXPECT_FALSE(Turn(turns_));
  EXPECT_EQ(order_, "next");
}

}  // namespace
}  // namespace kinformer::internal::base
