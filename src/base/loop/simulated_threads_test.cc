// Threads and pools of a Simulation.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/simulation.h"

#include "base/loop/own_work.h"

namespace kinformer::internal::base {
namespace {

using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

std::size_t Mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) ++count;
  return count;
}

TEST(SimulatedThreads, Body_IsDestroyedAtItsEnd) {
  Simulation sim;
  const auto owned = std::make_shared<int>(1);
  const std::unique_ptr<Thread> thread = sim.env().NewThread("t", [owned] {});
  EXPECT_EQ(owned.use_count(), 2);
  thread->Join();
  EXPECT_EQ(owned.use_count(), 1);
  thread->Join();  // does nothing
  EXPECT_THROW(
      static_cast<void>(sim.RunBlocking([owned] { throw std::runtime_error("x"); }, seconds(1))),
      std::runtime_error);
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(SimulatedThreads, DestroyedHandle_WaitsForTheBody) {
  Simulation sim;
  Env& env = sim.env();
  const SteadyTime start = env.Now();
  bool ended = false;
  {
    const std::unique_ptr<Thread> thread = env.NewThread("t", [&] {
      env.SleepFor(seconds(3));
      ended = true;
    });
  }
  EXPECT_TRUE(ended);
  EXPECT_EQ(env.Now() - start, seconds(3));
}

TEST(SimulatedThreads, AThreadThatJoinsItself_GetsAnErrorAndCanBeJoinedLater) {
  Simulation sim;
  std::unique_ptr<Thread> thread;
  std::string error;
  thread = sim.env().NewThread("t", [&] {
    try {
      thread->Join();
    } catch (const std::system_error& e) {
      error = e.what();
    }
  });
  sim.RunReady();
  thread->Join();
  EXPECT_NE(error.find("a thread cannot wait for its own end"), std::string::npos) << error;
}

TEST(SimulatedThreads, SeveralWaitForOne_EachContinues) {
  Simulation sim;
  Env& env = sim.env();
  std::unique_ptr<Thread> slow = env.NewThread("slow", [&] { env.SleepFor(seconds(2)); });
  int joined = 0;
  std::vector<std::unique_ptr<Thread>> others;
  others.push_back(env.NewThread("joins", [&] {
    slow->Join();
    ++joined;
  }));
  sim.RunReady();
  EXPECT_EQ(joined, 0);
  sim.RunFor(seconds(2));
  EXPECT_EQ(joined, 1);
}

// Ended threads leave nothing behind, however many there were; those that run are not touched.
TEST(SimulatedThreads, ManyInTurn_LeaveNoStacks) {
  Simulation sim;
  Env& env = sim.env();
  bool stop = false;
  const std::unique_ptr<Monitor> monitor = env.NewMonitor();
  const std::unique_ptr<Thread> runs = env.NewThread("runs", [&] {
    MonitorLock lock(*monitor);
    while (!stop) lock.Wait();
  });
  std::vector<std::unique_ptr<Thread>> not_joined;
  constexpr std::size_t kThreads = 400;
  std::size_t bodies = 0;
  std::size_t before = 0;
  for (std::size_t i = 0; i < kThreads; ++i) {
    if (i == kThreads / 4) before = Mappings();
    env.pool().Post([&] { ++bodies; });
    if (i % 100 == 0) not_joined.push_back(env.NewThread("late", [&] { ++bodies; }));
    env.NewThread("t", [&] { ++bodies; })->Join();
  }
  sim.RunReady();
  EXPECT_EQ(bodies, 2 * kThreads + 4);
  EXPECT_LT(Mappings(), before + kThreads / 2);
  for (const std::unique_ptr<Thread>& thread : not_joined) thread->Join();
  {
    MonitorLock lock(*monitor);
    stop = true;
    monitor->NotifyAll();
  }
  runs->Join();
}

TEST(SimulatedPools, RunSixteenTasksAtOnceAndReuseThreads) {
  Simulation sim;
  Env& env = sim.env();
  for (Executor* pool : {&env.pool(), &OwnWorkOf(env).threads}) {
    int running = 0;
    int most = 0;
    int done = 0;
    std::set<std::thread::id> threads;
    for (int i = 0; i < 40; ++i) {
      pool->Post([&] {
        EXPECT_TRUE(pool->InThisExecutor());
        threads.insert(std::this_thread::get_id());
        most = std::max(most, ++running);
        env.SleepFor(seconds(1));
        --running;
        ++done;
      });
    }
    EXPECT_FALSE(pool->InThisExecutor());
    sim.RunFor(seconds(1));
    EXPECT_EQ(done, 16);
    sim.RunFor(seconds(1));
    EXPECT_EQ(done, 32);
    sim.RunFor(minutes(1));
    EXPECT_EQ(done, 40);
    EXPECT_EQ(most, 16);
    EXPECT_EQ(threads.size(), 16U);
  }
}

TEST(SimulatedPools, TasksInTurn_ShareOneThread) {
  Simulation sim;
  Env& env = sim.env();
  std::set<std::thread::id> threads;
  int runs = 0;
  for (int i = 0; i < 40; ++i) {
    env.pool().Post([&] {
      threads.insert(std::this_thread::get_id());
      ++runs;
    });
    sim.RunReady();
  }
  EXPECT_EQ(runs, 40);
  EXPECT_EQ(threads.size(), 1U);
  // An idle thread takes one task only.
  int done = 0;
  for (int i = 0; i < 2; ++i) {
    env.pool().Post([&] {
      env.SleepFor(seconds(1));
      ++done;
    });
  }
  sim.RunFor(seconds(1));
  EXPECT_EQ(done, 2);
}

TEST(SimulatedPools, Timer_RunsOnThePoolAtItsTime) {
  Simulation sim;
  Env& env = sim.env();
  for (Executor* pool : {&env.pool(), &OwnWorkOf(env).threads}) {
    const SteadyTime when = env.Now() + seconds(5);
    int runs = 0;
    const Timer timer = pool->RunAt(when, [&] {
      ++runs;
      EXPECT_EQ(env.Now(), when);
      EXPECT_TRUE(pool->InThisExecutor());
      EXPECT_FALSE(env.loop().InThisExecutor());
    });
    sim.RunFor(seconds(5) - nanoseconds(1));
    EXPECT_EQ(runs, 0);
    sim.RunFor(nanoseconds(1));
    EXPECT_EQ(runs, 1);
  }
}

}  // namespace
}  // namespace kinformer::internal::base
