// Mistakes that end a Simulation with words: waits that cannot end, threads left behind.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>

#include "kinformer/base/env.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"

#include "base/loop/io_loop.h"
#include "base/loop/own_work.h"

namespace kinformer::internal::base {
namespace {

using std::chrono::hours;
using std::chrono::nanoseconds;

constexpr Duration kYear = hours(24 * 365);

void ExpectAbort(const std::function<void()>& body, const std::string& words) {
  EXPECT_EXIT(
      {
        body();
        std::_Exit(0);
      },
      ::testing::KilledBySignal(SIGABRT), "kinformer: simulation: " + words);
}

// Waits forever on a monitor that nobody notifies.
Closure WaitsOn(Monitor& monitor) {
  return [&monitor] {
    MonitorLock lock(monitor);
    lock.Wait();
  };
}

TEST(SimulationWaitsDeathTest, DriverWaits_AYearAndNoLonger) {
  {
    Simulation sim;
    Env& env = sim.env();
    const SteadyTime start = env.Now();
    env.NewThread("sleeper", [&] { env.SleepFor(kYear); })->Join();
    EXPECT_EQ(env.Now() - start, kYear);
  }
  ExpectAbort(
      [] {
        Simulation late;
        late.env()
            .NewThread("sleeper", [&] { late.env().SleepFor(kYear + nanoseconds(1)); })
            ->Join();
      },
      "the driving thread waits for the end of thread sleeper that can never come; waiting "
      "threads: sleeper \\(for a notification or a time\\)");
}

TEST(SimulationWaitsDeathTest, WaitThatCannotEnd_NamesEachThread) {
  ExpectAbort(
      [] {
        Simulation sim;
        const auto monitor = sim.env().NewMonitor();
        const auto other = sim.env().NewMonitor();
        const auto ended = sim.env().NewThread("ended", [] {});
        const auto holder = sim.env().NewThread("holder", [&] {
          MonitorLock lock(*other);
          WaitsOn (*monitor)();
        });
        sim.RunReady();
        const auto locker = sim.env().NewThread("locker", [&] { other->Lock(); });
        sim.RunReady();
        const auto fresh = sim.env().NewThread("joiner", [&] { holder->Join(); });
        MonitorLock lock(*other);
      },
      "the driving thread waits for a lock that can never come; waiting threads: holder "
      "\\(for a notification\\), locker \\(for a lock\\), joiner \\(for the end of thread "
      "holder\\)");
  ExpectAbort(
      [] {
        Simulation sim;
        const auto monitor = sim.env().NewMonitor();
        sim.env().loop().Post(WaitsOn(*monitor));
        sim.RunReady();
      },
      "a loop task waits for a notification that can never come; waiting threads: none");
}

TEST(SimulationWaitsDeathTest, ThreadsThatStillWaitAtTheEnd_AreNamed) {
  ExpectAbort(
      [] {
        auto* const sim = new Simulation();
        Monitor* const monitor = sim->env().NewMonitor().release();
        sim->env().pool().Post([] {});
        sim->RunReady();
        sim->env().pool().Post(WaitsOn(*monitor));
        sim->RunReady();
        OwnWorkOf(sim->env()).threads.Post(WaitsOn(*monitor));
        sim->RunReady();
        static_cast<void>(sim->env().NewThread("new", [] {}).release());
        delete sim;
      },
      "destroyed while threads still wait: pool0 \\(for a notification\\), own0 \\(for a "
      "notification\\), new \\(for its first turn\\). Destroy what uses env\\(\\) before the "
      "Simulation.");
}

TEST(SimulationWaitsDeathTest, SecondPoolThread_HasTheNextNumber) {
  ExpectAbort(
      [] {
        auto* const sim = new Simulation();
        Monitor* const monitor = sim->env().NewMonitor().release();
        for (int i = 0; i < 2; ++i) {
          sim->env().pool().Post(WaitsOn(*monitor));
          sim->RunReady();
        }
        delete sim;
      },
      "destroyed while threads still wait: pool0 \\(for a notification\\), pool1 \\(for a "
      "notification\\)\\.");
}

TEST(SimulationWaitsDeathTest, SocketsForAnotherEnv_AreRefused) {
  ExpectAbort(
      [] {
        boost::asio::io_context io;
        Runtime runtime({.host_driven_loop = true});
        GiveSockets(runtime.env(), io);
      },
      "only the Env of a Simulation can be given sockets");
}

// Both kinds of threads.
TEST(ThreadsDeathTest, AThreadOnItself_CannotBeDestroyed) {
  const auto ends_in = [](Env& env) {
    std::promise<void> made;
    std::unique_ptr<Thread> thread;
    thread = env.NewThread("t", [&] {
      made.get_future().wait();
      thread.reset();
    });
    made.set_value();
    env.NewThread("waits", [&] { env.SleepFor(kYear); })->Join();
  };
  const char* const words = "kinformer: a Thread was destroyed on one of its own threads";
  EXPECT_EXIT(
      {
        Simulation sim;
        ends_in(sim.env());
      },
      ::testing::KilledBySignal(SIGABRT), words);
  EXPECT_EXIT(
      {
        Runtime runtime;
        ends_in(runtime.env());
      },
      ::testing::KilledBySignal(SIGABRT), words);
}

TEST(SimulationWaitsDeathTest, SimulatedLoopOnItsOwnThread_CannotBeDestroyed) {
  EXPECT_EXIT(
      {
        Simulation sim;
        std::unique_ptr<Loop> loop = sim.env().NewLoop("second");
        loop->env().loop().Post([&] { loop.reset(); });
        sim.RunReady();
        std::_Exit(0);
      },
      ::testing::KilledBySignal(SIGABRT), "a Loop was destroyed on one of its own threads");
}

}  // namespace
}  // namespace kinformer::internal::base
