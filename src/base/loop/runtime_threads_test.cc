// Threads and clocks of a Runtime.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <poll.h>
#include <sched.h>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"

#include "base/core/forked.h"
#include "base/loop/cpu_limit.h"
#include "base/loop/io_loop.h"
#include "base/loop/own_work.h"

namespace kinformer::internal::base {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

RuntimeOptions HostDriven() { return {.log = NewNullLog(), .host_driven_loop = true}; }

// Waits until the timers of the loop that are due in the next `time` have run.
void PassTimers(Env& env, Duration time) {
  const auto passed = std::make_shared<std::promise<void>>();
  const Timer timer = env.loop().RunAt(env.Now() + time, [passed] { passed->set_value(); });
  passed->get_future().wait();
}

// Keeps tasks inside until it is opened, and notes when each came in. Outlives their threads.
class Gate {
 public:
  void PostTo(Executor& executor, int times) {
    for (int i = 0; i < times; ++i) {
      executor.Post([this] {
        const std::size_t at = begun_.fetch_add(1);
        if (at < since.size()) since[at] = std::chrono::steady_clock::now();
        entered.fetch_add(1);
        entered.notify_all();
        opened_.wait();
      });
    }
  }
  void AwaitEntered(int count) {
    for (int now = entered.load(); now < count; now = entered.load()) entered.wait(now);
  }
  void Open() { promise_.set_value(); }
  std::atomic<int> entered{0};
  std::array<SteadyTime, 8> since{};

 private:
  std::atomic<std::size_t> begun_{0};
  std::promise<void> promise_;
  const std::shared_future<void> opened_ = promise_.get_future().share();
};

// Runs `body` on a thread that may use `count` processors; returns false if there are not so many.
bool WithProcessors(int count, const std::function<void()>& body) {
  bool enough = false;
  std::thread([&] {
    cpu_set_t all{};
    if (sched_getaffinity(0, sizeof(all), &all) != 0 || CPU_COUNT(&all) < count) return;
    cpu_set_t some{};
    for (int i = 0; CPU_COUNT(&some) < count; ++i) {
      if (CPU_ISSET(i, &all)) CPU_SET(i, &some);
    }
    if (sched_setaffinity(0, sizeof(some), &some) != 0) return;
    enough = true;
    body();
  }).join();
  return enough;
}

// How many handlers run at once, if there are `posted`.
int Handlers(std::size_t most, int posted, int expected) {
  Gate gate;
  Runtime runtime({.max_handler_threads = most, .log = NewNullLog()});
  Env& env = runtime.env();
  gate.PostTo(env.pool(), posted);
  gate.AwaitEntered(expected);
  PassTimers(env, milliseconds(25));
  const int entered = gate.entered.load();
  gate.Open();
  return entered;
}

TEST(RuntimeThreads, HandlerThreads_AreFourForEachProcessor) {
  for (const int processors : {1, 2}) {
    const bool enough = WithProcessors(processors, [&] {
      const int limit = 4 * static_cast<int>(CpuLimit());
      EXPECT_LE(limit, 4 * processors);
      EXPECT_EQ(Handlers(100, limit + 2, limit), limit);
      EXPECT_EQ(Handlers(3, 5, 3), 3) << "or fewer if the program says so";
    });
    EXPECT_TRUE(enough || processors > 1);
  }
}

// Further threads start only when a task has waited for ten milliseconds.
TEST(RuntimeThreads, TwoHandlersAndOneOwnTask_StartAtOnce) {
  Gate handlers;
  Gate own;
  Runtime runtime({.log = NewNullLog()});
  Env& env = runtime.env();
  handlers.PostTo(env.pool(), 2);
  handlers.AwaitEntered(2);
  SteadyTime before = env.Now();
  handlers.PostTo(env.pool(), 1);
  handlers.AwaitEntered(3);
  EXPECT_GE(handlers.since[2] - before, milliseconds(10));
  own.PostTo(OwnWorkOf(env).threads, 1);
  own.AwaitEntered(1);
  before = env.Now();
  own.PostTo(OwnWorkOf(env).threads, 1);
  own.AwaitEntered(2);
  EXPECT_GE(own.since[1] - before, milliseconds(10));
  handlers.Open();
  own.Open();
}

TEST(RuntimeThreads, OwnThreads_AreSixtyFourAtMost) {
  Gate gate;
  Runtime runtime({.log = NewNullLog()});
  Env& env = runtime.env();
  gate.PostTo(OwnWorkOf(env).threads, 66);
  gate.AwaitEntered(64);
  PassTimers(env, milliseconds(25));
  EXPECT_EQ(gate.entered.load(), 64);
  gate.Open();
}

TEST(RuntimeThreads, JoinedThread_MayBeJoinedAgain) {
  Runtime runtime({.log = NewNullLog()});
  bool ran = false;
  const std::unique_ptr<Thread> thread = runtime.env().NewThread("t", [&] { ran = true; });
  thread->Join();
  EXPECT_TRUE(ran);
  thread->Join();
}

TEST(RuntimeThreads, AThreadThatJoinsItself_GetsAnErrorAndCanBeJoinedLater) {
  Runtime runtime;
  std::promise<Thread*> told;
  std::string error;
  const std::unique_ptr<Thread> thread = runtime.env().NewThread("t", [&] {
    Thread* const self = told.get_future().get();
    try {
      self->Join();
    } catch (const std::system_error& e) {
      error = e.what();
    }
  });
  told.set_value(thread.get());
  thread->Join();
  EXPECT_NE(error.find("a thread cannot wait for its own end"), std::string::npos) << error;
}

TEST(RuntimeThreads, LoopThreadOfAnotherRuntime_IsNotThisOnes) {
  Runtime first({.log = NewNullLog()});
  Runtime second({.log = NewNullLog()});
  const std::unique_ptr<Loop> loop = first.env().NewLoop("l");
  struct Row {
    Executor& executor;
    bool first;
    bool second;
  };
  const Row rows[] = {
      {first.env().loop(), true, false},
      {second.env().loop(), false, true},
      {loop->env().loop(), true, false},
      {first.env().pool(), false, false},
      {OwnWorkOf(first.env()).threads, false, false},
  };
  for (const Row& row : rows) {
    const auto seen = std::make_shared<std::promise<std::pair<bool, bool>>>();
    row.executor.Post([&first, &second, seen] {
      seen->set_value({first.env().OnLoopThread(), second.env().OnLoopThread()});
    });
    EXPECT_EQ(seen->get_future().get(), std::pair(row.first, row.second));
  }
}

TEST(RuntimeClocks, AreThoseOfTheSystem) {
  Runtime runtime({.log = NewNullLog()});
  Env& env = runtime.env();
  const auto boot = [] {
    std::timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return BootTime(seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
  };
  for (int i = 0; i < 3; ++i) {
    const BootTime before = boot();
    const BootTime now = env.BootNow();
    EXPECT_LE(before, now);
    EXPECT_LE(now, boot());
    const SteadyTime steady = std::chrono::steady_clock::now();
    const SteadyTime here = env.Now();
    EXPECT_LE(steady, here);
    EXPECT_LE(here, std::chrono::steady_clock::now());
  }
}

// ---- loops that are or are not a Runtime's

TEST(RuntimeLoops, HostOfIoContext_IsWoken) {
  Runtime runtime(HostDriven());
  while (runtime.RunReady(milliseconds(50))) {
  }
  pollfd fd{.fd = runtime.Fd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&fd, 1, 0), 0);
  EXPECT_NE(IoContextOf(runtime.env()), nullptr);
  EXPECT_EQ(poll(&fd, 1, 0), 1);
}

TEST(RuntimeLoops, GivenSockets_AreTheSimulations) {
  boost::asio::io_context io;
  Simulation sim;
  GiveSockets(sim.env(), io);
  EXPECT_EQ(IoContextOf(sim.env()), &io);
  EXPECT_FALSE(IsForkedOff(sim.env()));
  Runtime runtime(HostDriven());
  EXPECT_FALSE(IsForkedOff(runtime.env()));
}

}  // namespace
}  // namespace kinformer::internal::base
