// Monitors and further loops of a Simulation: exact wake-ups, for each seed.

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/simulation.h"

#include "base/loop/own_work.h"

namespace kinformer::internal::base {
namespace {

using std::chrono::seconds;

constexpr std::uint64_t kSeeds = 20;

TEST(SimulatedMonitors, NotifyOne_WakesAnyOneOfThem) {
  std::set<int> first;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Simulation sim({.seed = seed});
    Env& env = sim.env();
    const std::unique_ptr<Monitor> monitor = env.NewMonitor();
    std::vector<int> woken;
    std::vector<std::unique_ptr<Thread>> threads;
    for (int i = 0; i < 3; ++i) {
      threads.push_back(env.NewThread("w", [&, i] {
        MonitorLock lock(*monitor);
        lock.Wait();
        woken.push_back(i);
      }));
    }
    sim.RunReady();
    EXPECT_EQ(woken.size(), 0U);
    for (std::size_t count = 1; count <= 3; ++count) {
      monitor->NotifyOne();
      sim.RunReady();
      EXPECT_EQ(woken.size(), count);
    }
    first.insert(woken.at(0));
    EXPECT_EQ(std::set<int>(woken.begin(), woken.end()).size(), 3U);
  }
  EXPECT_EQ(first, (std::set<int>{0, 1, 2}));
}

TEST(SimulatedMonitors, NotifyWithoutWaiters_HasNoEffect) {
  Simulation sim;
  Env& env = sim.env();
  const std::unique_ptr<Monitor> monitor = env.NewMonitor();
  const std::uint64_t before = sim.TraceHash();
  monitor->NotifyOne();
  monitor->NotifyAll();
  EXPECT_EQ(sim.TraceHash(), before);
  bool woken = false;
  const auto thread = env.NewThread("w", [&] {
    MonitorLock lock(*monitor);
    lock.Wait();
    woken = true;
  });
  sim.RunReady();
  EXPECT_FALSE(woken) << "nobody remembers a notification";
  monitor->NotifyOne();
  sim.RunReady();
  EXPECT_TRUE(woken);
}

TEST(SimulatedMonitors, NotifyAll_WakesAllThatWaitNow) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Simulation sim({.seed = seed});
    Env& env = sim.env();
    const std::unique_ptr<Monitor> monitor = env.NewMonitor();
    int woken = 0;
    int inside = 0;
    std::vector<std::unique_ptr<Thread>> threads;
    for (int i = 0; i < 4; ++i) {
      threads.push_back(env.NewThread("w", [&, i] {
        MonitorLock lock(*monitor);
        if (i % 2 == 0) {
          lock.Wait();
        } else {
          EXPECT_TRUE(lock.WaitUntil(env.Now() + seconds(100)));
        }
        EXPECT_EQ(++inside, 1) << "it has the lock after the wait";
        env.SleepFor(seconds(1));
        --inside;
        ++woken;
        lock.Wait();
        ++woken;
      }));
    }
    sim.RunReady();
    monitor->NotifyAll();
    sim.RunFor(seconds(10));
    EXPECT_EQ(woken, 4) << "each once";
    monitor->NotifyAll();
    sim.RunReady();
    EXPECT_EQ(woken, 8);
  }
}

TEST(SimulatedMonitors, Lock_ExcludesDriverAndThreads) {
  Simulation sim;
  Env& env = sim.env();
  const std::unique_ptr<Monitor> monitor = env.NewMonitor();
  const SteadyTime start = env.Now();
  int entered = 0;
  std::vector<std::unique_ptr<Thread>> threads;
  {
    MonitorLock lock(*monitor);
    for (int i = 0; i < 3; ++i) {
      threads.push_back(env.NewThread("t", [&] {
        MonitorLock mine(*monitor);
        ++entered;
        env.SleepFor(seconds(1));
      }));
    }
    sim.RunFor(seconds(5));
    EXPECT_EQ(entered, 0);
  }
  sim.RunReady();
  EXPECT_EQ(entered, 1);
  sim.RunFor(seconds(1));
  EXPECT_EQ(entered, 2);
  sim.RunFor(seconds(1));
  EXPECT_EQ(entered, 3);
  MonitorLock lock(*monitor);  // waits for the last
  EXPECT_EQ(env.Now() - start, seconds(8));
}

// A wait whose time has passed returns at once: it does not give the lock to others.
TEST(SimulatedMonitors, WaitUntilNowOrBefore_KeepsTheLock) {
  for (const Duration late : {Duration(0), Duration(1), Duration(seconds(1))}) {
    Simulation sim;
    Env& env = sim.env();
    const std::unique_ptr<Monitor> monitor = env.NewMonitor();
    std::string order;
    std::unique_ptr<Thread> other;
    monitor->Lock();
    other = env.NewThread("other", [&] {
      MonitorLock lock(*monitor);
      order += "other ";
    });
    sim.RunReady();
    EXPECT_FALSE(monitor->WaitUntil(env.Now() - late));
    order += "after ";
    monitor->Unlock();
    sim.RunReady();
    EXPECT_EQ(order, "after other ");
  }
}

// A notification at the moment of the deadline: the wait ends once, and says which it was.
TEST(SimulatedMonitors, NotifiedAtTheDeadline_EndsOnce) {
  std::set<bool> said;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Simulation sim({.seed = seed});
    Env& env = sim.env();
    const std::unique_ptr<Monitor> monitor = env.NewMonitor();
    const SteadyTime when = env.Now() + seconds(1);
    int ends = 0;
    const auto notifier = env.NewThread("notifier", [&] {
      env.SleepFor(seconds(1));
      MonitorLock lock(*monitor);
      monitor->NotifyAll();
    });
    const auto waiter = env.NewThread("waiter", [&] {
      MonitorLock lock(*monitor);
      said.insert(lock.WaitUntil(when));
      EXPECT_EQ(env.Now(), when);
      ++ends;
      while (lock.WaitUntil(when + seconds(1))) {
      }
      EXPECT_EQ(env.Now(), when + seconds(1));
    });
    sim.RunFor(seconds(5));
    EXPECT_EQ(ends, 1);
  }
  EXPECT_EQ(said, (std::set<bool>{false, true}));
}

// The deadline of a wait that was notified is no event of its own.
TEST(SimulatedMonitors, NotifiedWait_LeavesNoTimer) {
  Simulation sim;
  Env& env = sim.env();
  const std::unique_ptr<Monitor> monitor = env.NewMonitor();
  const SteadyTime start = env.Now();
  const auto waiter = env.NewThread("waiter", [&] {
    MonitorLock lock(*monitor);
    EXPECT_TRUE(lock.WaitUntil(start + seconds(10)));
  });
  sim.RunReady();
  const auto notifier = env.NewThread("notifier", [&] {
    MonitorLock lock(*monitor);
    monitor->NotifyOne();
    env.SleepFor(seconds(20));  // the waiter waits for the lock
  });
  std::set<Duration> times;
  static_cast<void>(sim.RunUntil(
      [&] {
        times.insert(env.Now() - start);
        return false;
      },
      seconds(60)));
  EXPECT_EQ(times, (std::set<Duration>{seconds(0), seconds(20)}));
}

// ---- loops of NewLoop

TEST(SimulatedLoops, IdleLoop_WakesForEarlierTimers) {
  Simulation sim;
  const std::unique_ptr<Loop> loop = sim.env().NewLoop("second");
  Env& env = loop->env();
  const SteadyTime start = env.Now();
  sim.RunReady();
  std::vector<Duration> fired;
  const auto note = [&] { fired.push_back(env.Now() - start); };
  const Timer late = env.loop().RunAt(start + seconds(20), note);
  sim.RunReady();
  const Timer early = env.loop().RunAt(start + seconds(10), note);
  const Timer middle = env.loop().RunAt(start + seconds(15), note);
  sim.RunReady();
  const Timer now = env.loop().RunAt(start, note);
  sim.RunReady();
  EXPECT_EQ(fired, std::vector<Duration>{seconds(0)});
  sim.RunFor(seconds(60));
  EXPECT_EQ(fired, (std::vector<Duration>{seconds(0), seconds(10), seconds(15), seconds(20)}));
}

TEST(SimulatedLoops, TaskPostsToItsOwnLoop_RunsLater) {
  Simulation sim;
  const std::unique_ptr<Loop> loop = sim.env().NewLoop("second");
  Env& env = loop->env();
  std::string order;
  Timer timer;
  sim.RunReady();
  env.loop().Post([&] {
    env.loop().Post([&] { order += "b"; });
    timer = env.loop().RunAt(env.Now(), [&] { order += "c"; });
    order += "a";
  });
  sim.RunReady();
  EXPECT_EQ(order.substr(0, 1), "a");
  EXPECT_EQ(order.size(), 3U);
}

// While it ends, it lets the running task finish and takes no more.
TEST(SimulatedLoops, EndingLoop_TakesNoTasks) {
  Simulation sim;
  Env& env = sim.env();
  std::unique_ptr<Loop> loop = env.NewLoop("second");
  Executor& tasks = loop->env().loop();
  const std::unique_ptr<Monitor> monitor = env.NewMonitor();
  const auto owned = std::make_shared<int>(1);
  std::string seen;
  tasks.Post([&] {
    seen += "begun ";
    {
      MonitorLock lock(*monitor);
      static_cast<void>(lock.WaitUntil(env.Now() + seconds(1)));
    }
    tasks.Post([owned] {});
    EXPECT_EQ(owned.use_count(), 1);
    EXPECT_FALSE(tasks.RunAt(env.Now(), [owned] {}).armed());
    EXPECT_EQ(owned.use_count(), 1);
    seen += "ended";
  });
  tasks.Post([&] { seen += " never"; });
  sim.RunReady();
  loop.reset();
  EXPECT_EQ(seen, "begun ended");
}

TEST(SimulatedLoops, OwnWork_IsThatOfTheSimulation) {
  Simulation sim;
  const std::unique_ptr<Loop> loop = sim.env().NewLoop("second");
  const OwnWork here = OwnWorkOf(loop->env());
  const OwnWork there = OwnWorkOf(sim.env());
  EXPECT_EQ(&here.env, &sim.env());
  EXPECT_EQ(&here.threads, &there.threads);
  EXPECT_NE(&here.threads, &sim.env().pool());
}

}  // namespace
}  // namespace kinformer::internal::base
