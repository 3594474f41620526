// Steps, time and end of a Simulation.

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/simulation.h"

#include "base/loop/own_work.h"

namespace kinformer::internal::base {
namespace {

using std::chrono::hours;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// The seed chooses among the loop, both pools and the threads: each order is possible.
TEST(SimulationSteps, EachOrderOfAllKinds_IsPossible) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    Simulation sim({.seed = seed});
    Env& env = sim.env();
    std::string order;
    env.loop().Post([&] { order += 'l'; });
    env.pool().Post([&] { order += 'p'; });
    OwnWorkOf(env).threads.Post([&] { order += 'o'; });
    const auto thread = env.NewThread("t", [&] { order += 't'; });
    int steps = 0;
    while (sim.Step()) ++steps;
    EXPECT_EQ(steps, 4);
    EXPECT_EQ(order.size(), 4U);
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 24U);
}

TEST(SimulationSteps, EachReadyThread_MayBeTheFirst) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Simulation sim({.seed = seed});
    std::string order;
    std::vector<std::unique_ptr<Thread>> threads;
    for (const char c : {'a', 'b', 'c'}) {
      threads.push_back(sim.env().NewThread(std::string(1, c), [&order, c] { order += c; }));
    }
    sim.RunReady();
    EXPECT_EQ(order.size(), 3U);
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 6U);
}

TEST(SimulationSteps, NothingToRun_LeavesTimeAndHash) {
  Simulation sim;
  const SteadyTime start = sim.env().Now();
  EXPECT_EQ(start, SteadyTime(hours(1)));
  const std::uint64_t before = sim.TraceHash();
  EXPECT_FALSE(sim.Step());
  sim.RunReady();
  sim.RunFor(Duration(0));
  sim.RunFor(-seconds(1));
  EXPECT_TRUE(sim.RunUntil([] { return true; }, seconds(1)));
  EXPECT_FALSE(sim.RunUntil([] { return false; }, hours(1)));
  EXPECT_EQ(sim.env().Now(), start);
  EXPECT_EQ(sim.TraceHash(), before);
  sim.RunFor(seconds(1));
  EXPECT_EQ(sim.env().Now(), start + seconds(1));
  EXPECT_NE(sim.TraceHash(), before);
}

TEST(SimulationSteps, LoopTaskThrows_DriverRethrowsAndContinues) {
  Simulation sim;
  Env& env = sim.env();
  bool ran = false;
  env.loop().Post([] { throw std::runtime_error("x"); });
  env.loop().Post([&] { ran = true; });
  EXPECT_THROW(static_cast<void>(sim.Step()), std::runtime_error);
  EXPECT_FALSE(env.loop().InThisExecutor());
  EXPECT_FALSE(env.OnLoopThread());
  EXPECT_FALSE(ran);
  EXPECT_TRUE(sim.Step());
  EXPECT_TRUE(ran);
  EXPECT_FALSE(sim.Step());
}

// A wait inside a task of the loop runs threads and pools, but no other task of the loop.
TEST(SimulationSteps, LoopTaskWaits_OtherLoopTasksDoNot) {
  Simulation sim;
  Env& env = sim.env();
  const std::unique_ptr<Monitor> monitor = env.NewMonitor();
  std::string order;
  bool open = false;
  env.loop().Post([&] {
    order += "begin ";
    env.loop().Post([&] { order += "second "; });
    env.pool().Post([&] {
      env.SleepFor(seconds(1));
      order += "pool ";
      MonitorLock lock(*monitor);
      open = true;
      monitor->NotifyAll();
    });
    MonitorLock lock(*monitor);
    while (!open) lock.Wait();
    order += "end ";
  });
  sim.RunReady();
  EXPECT_EQ(order, "begin pool end second ");
}

// A wait of the driver runs tasks of the loop as well.
TEST(SimulationSteps, DriverWaits_LoopTasksRun) {
  Simulation sim;
  Env& env = sim.env();
  const std::unique_ptr<Monitor> monitor = env.NewMonitor();
  bool open = false;
  env.loop().Post([&] {
    MonitorLock lock(*monitor);
    open = true;
    monitor->NotifyAll();
  });
  MonitorLock lock(*monitor);
  while (!open) lock.Wait();
  EXPECT_TRUE(open);
}

TEST(SimulationTime, TimersAtTheLimit_AreDue) {
  Simulation sim;
  Env& env = sim.env();
  const SteadyTime start = env.Now();
  std::string fired;
  const Timer at = env.loop().RunAt(start + seconds(10), [&] { fired += 'a'; });
  const Timer after = env.loop().RunAt(start + seconds(10) + nanoseconds(1), [&] { fired += 'b'; });
  const Timer past = env.loop().RunAt(start - seconds(1), [&] {
    fired += 'p';
    EXPECT_EQ(env.Now(), start) << "time does not go back";
  });
  sim.RunFor(seconds(10));
  EXPECT_EQ(fired, "pa");
  EXPECT_EQ(env.Now(), start + seconds(10));
  EXPECT_TRUE(sim.RunUntil([&] { return fired == "pab"; }, nanoseconds(1)));
  EXPECT_EQ(env.Now(), start + seconds(10) + nanoseconds(1));
}

TEST(SimulationTime, RunUntil_ReturnsAtTheMomentItIsDone) {
  Simulation sim;
  Env& env = sim.env();
  const SteadyTime start = env.Now();
  bool done = false;
  const Timer first = env.loop().RunAt(start + seconds(3), [&] { done = true; });
  const Timer second = env.loop().RunAt(start + seconds(4), [] {});
  EXPECT_TRUE(sim.RunUntil([&] { return done; }, Duration::max()));
  EXPECT_EQ(env.Now(), start + seconds(3));
}

TEST(SimulationTime, Suspend_StopsOnlyTheSteadyClock) {
  const WallTime wall{hours(24 * 20000)};
  Simulation sim({.start = wall});
  Env& env = sim.env();
  EXPECT_EQ(env.WallNow(), wall);
  EXPECT_EQ(env.BootNow().time_since_epoch(), hours(1));
  sim.RunFor(seconds(1));
  sim.Suspend(seconds(10));
  sim.Suspend(seconds(5));
  EXPECT_EQ(env.Now().time_since_epoch(), hours(1) + seconds(1));
  EXPECT_EQ(env.WallNow(), wall + seconds(16));
  EXPECT_EQ(env.BootNow().time_since_epoch(), hours(1) + seconds(16));
}

// Destroyed when its thread ends.
thread_local std::shared_ptr<void> of_thread;

// Returns the events of the end of a Simulation with idle threads and pending tasks.
std::vector<std::string> EndWith(const std::string& kind) {
  std::vector<std::string> events;
  const auto noted = [&events](const char* what) {
    return std::shared_ptr<void>(nullptr, [&events, what](void*) { events.emplace_back(what); });
  };
  Timer timer;
  {
    Simulation sim;
    Env& env = sim.env();
    Executor& own = OwnWorkOf(env).threads;
    env.pool().Post([&] { of_thread = noted("thread"); });
    sim.RunReady();
    auto left = noted("task");
    if (kind == "loop") env.loop().Post([held = std::move(left)] {});
    if (kind == "pool") env.pool().Post([held = std::move(left)] {});
    if (kind == "own") own.Post([held = std::move(left)] {});
    if (kind == "timer") {
      timer = env.loop().RunAt(env.Now() + seconds(1), [held = std::move(left)] {});
    }
    EXPECT_EQ(events.size(), 0U);
  }
  return events;
}

TEST(SimulationEnd, PendingTasks_AreDestroyedBeforeIdleThreadsEnd) {
  for (const char* kind : {"loop", "pool", "own", "timer"}) {
    EXPECT_EQ(EndWith(kind), (std::vector<std::string>{"task", "thread"})) << kind;
  }
}

TEST(SimulationEnd, OwnWork_IsToldToStop) {
  auto sim = std::make_unique<Simulation>();
  const std::stop_token ends = OwnWorkOf(sim->env()).ends;
  EXPECT_TRUE(ends.stop_possible());
  EXPECT_FALSE(ends.stop_requested());
  sim.reset();
  EXPECT_TRUE(ends.stop_requested());
}

}  // namespace
}  // namespace kinformer::internal::base
