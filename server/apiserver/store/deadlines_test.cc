#include "apiserver/store/deadlines.h"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"

#include "apiserver/store/background_tasks.h"

namespace kinformer::apiserver {
namespace {

using std::chrono::seconds;

TEST(Deadlines, Functions_RunAtTheirTimesInOrder) {
  Simulation sim;
  Deadlines deadlines(sim.env());
  const SteadyTime start = sim.env().Now();
  std::vector<std::string> ran;
  const auto add = [&](int at, const std::string& name) {
    return deadlines.Add(start + seconds(at), [&ran, &sim, start, name] {
      const auto passed = std::chrono::duration_cast<seconds>(sim.env().Now() - start).count();
      ran.push_back(name + " at " + std::to_string(passed));
    });
  };
  add(30, "c");
  add(10, "a");
  add(20, "b");
  add(10, "a2");
  const auto removed = add(15, "removed");
  deadlines.Remove(removed);
  sim.RunFor(seconds(9));
  EXPECT_EQ(ran, std::vector<std::string>{});
  sim.RunFor(seconds(1));
  EXPECT_EQ(ran, (std::vector<std::string>{"a at 10", "a2 at 10"}));
  // One that is earlier than those that wait runs in time.
  add(12, "early");
  sim.RunFor(seconds(60));
  EXPECT_EQ(ran,
            (std::vector<std::string>{"a at 10", "a2 at 10", "early at 12", "b at 20", "c at 30"}));
  deadlines.Remove(removed);
  // One that is due runs in the next turn, not at once.
  add(0, "due");
  add(-1, "past");
  EXPECT_EQ(ran.size(), 5U);
  sim.RunReady();
  EXPECT_EQ(ran.size(), 7U);
  EXPECT_EQ(ran[5], "past at 70");
  EXPECT_EQ(ran[6], "due at 70");
}

TEST(Deadlines, Function_MayAddAndRemoveOthers) {
  Simulation sim;
  Deadlines deadlines(sim.env());
  const SteadyTime start = sim.env().Now();
  std::vector<std::string> ran;
  Deadlines::Id second;
  deadlines.Add(start + seconds(1), [&] {
    ran.push_back("first");
    deadlines.Remove(second);
    deadlines.Add(start + seconds(2), [&] { ran.push_back("added"); });
    deadlines.Add(start, [&] { ran.push_back("due"); });
  });
  second = deadlines.Add(start + seconds(1), [&] { ran.push_back("second"); });
  sim.RunFor(seconds(1));
  EXPECT_EQ(ran, (std::vector<std::string>{"first", "due"}));
  sim.RunFor(seconds(1));
  EXPECT_EQ(ran, (std::vector<std::string>{"first", "due", "added"}));
}

TEST(Deadlines, RemovedFunction_LeavesNothingToWaitFor) {
  Simulation sim;
  Deadlines deadlines(sim.env());
  const auto id = deadlines.Add(sim.env().Now() + seconds(5), [] { FAIL(); });
  deadlines.Remove(id);
  EXPECT_FALSE(sim.RunUntil([] { return false; }, seconds(10)));
  EXPECT_EQ(sim.env().Now(), SteadyTime(std::chrono::hours(1)));
  bool ran = false;
  deadlines.Add(sim.env().Now() + seconds(7), [&] { ran = true; });
  sim.RunFor(seconds(7));
  EXPECT_TRUE(ran);
}

TEST(Deadlines, Destruction_CancelsAll) {
  Simulation sim;
  auto deadlines = std::make_unique<Deadlines>(sim.env());
  deadlines->Add(sim.env().Now() + seconds(5), [] { FAIL(); });
  deadlines->Add(sim.env().Now(), [] { FAIL(); });
  deadlines.reset();
  sim.RunFor(seconds(10));
}

TEST(BackgroundTasks, Tasks_RunInOrderSomeInATurn) {
  Simulation sim;
  BackgroundTasks tasks(sim.env());
  std::vector<int> ran;
  for (int i = 0; i < 65; ++i) tasks.Post([&ran, i] { ran.push_back(i); });
  EXPECT_EQ(ran.size(), 0U);
  ASSERT_TRUE(sim.Step());
  EXPECT_EQ(ran.size(), 64U);
  ASSERT_TRUE(sim.Step());
  ASSERT_EQ(ran.size(), 65U);
  for (int i = 0; i < 65; ++i) EXPECT_EQ(ran[static_cast<std::size_t>(i)], i);
  EXPECT_FALSE(sim.Step());
  // Tasks may post others, and later ones run, too.
  tasks.Post([&] { tasks.Post([&] { ran.push_back(100); }); });
  sim.RunReady();
  EXPECT_EQ(ran.back(), 100);
  EXPECT_EQ(ran.size(), 66U);
}

TEST(BackgroundTasks, Destruction_DropsTasks) {
  Simulation sim;
  auto tasks = std::make_unique<BackgroundTasks>(sim.env());
  tasks->Post([] { FAIL(); });
  tasks.reset();
  sim.RunReady();
}

}  // namespace
}  // namespace kinformer::apiserver
