#include "kinformer/base/runtime.h"

#include <csignal>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <pthread.h>
#include <stdexcept>
#include <thread>
#include <vector>

#include "kinformer/base/simulation.h"

#include "base/loop/io_loop.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Waits until the loop has run everything posted before.
void Drain(Executor& executor) {
  const auto reached =
      std::make_shared<std::promise<void>>();  // also the executor's, until it is done with it
  executor.Post([reached] { reached->set_value(); });
  reached->get_future().wait();
}

RuntimeOptions Quiet() { return {.log = NewNullLog()}; }

TEST(RuntimeTest, LoopTasksOfEachThreadKeepTheirOrder) {
  Runtime runtime;
  Env& env = runtime.env();
  std::vector<int> last(4, -1);
  int disorder = 0;
  std::vector<std::thread> posters;
  for (std::size_t p = 0; p < last.size(); ++p) {
    posters.emplace_back([&, p] {
      for (int i = 0; i < 500; ++i) {
        env.loop().Post([&, p, i] {
          if (last[p] != i - 1) ++disorder;
          last[p] = i;
        });
      }
    });
  }
  for (std::thread& poster : posters) poster.join();
  Drain(env.loop());
  EXPECT_EQ(disorder, 0);
  EXPECT_EQ(last, std::vector<int>(4, 499));
}

TEST(RuntimeTest, ExecutorsKnowTheirThreads) {
  std::promise<void> done;
  Runtime runtime;  // ends before what its threads use
  Env& env = runtime.env();
  EXPECT_FALSE(env.loop().InThisExecutor());
  EXPECT_FALSE(env.pool().InThisExecutor());
  bool loop = false;
  bool pool = false;
  env.loop().Post([&] { loop = env.loop().InThisExecutor() && !env.pool().InThisExecutor(); });
  Drain(env.loop());
  env.pool().Post([&] {
    pool = env.pool().InThisExecutor() && !env.loop().InThisExecutor();
    done.set_value();
  });
  done.get_future().wait();
  EXPECT_TRUE(loop);
  EXPECT_TRUE(pool);
}

TEST(RuntimeTest, TimersRunWhenDueInOrder) {
  std::promise<void> done;
  Runtime runtime;  // ends before what its threads use
  Env& env = runtime.env();
  std::string order;
  const SteadyTime start = env.Now();
  const Timer b = env.loop().RunAt(start + milliseconds(20), [&] {
    order.push_back('b');
    done.set_value();
  });
  const Timer a = env.loop().RunAt(start + milliseconds(5), [&] { order.push_back('a'); });
  const Timer past = env.loop().RunAt(start - seconds(1), [&] { order.push_back('p'); });
  done.get_future().wait();
  EXPECT_EQ(order, "pab");
  EXPECT_GE(env.Now() - start, milliseconds(20));
}

TEST(RuntimeTest, CancelOnTheLoopIsExact) {
  std::promise<void> done;
  Runtime runtime;  // ends before what its threads use
  Env& env = runtime.env();
  bool ran = false;
  Timer victim;
  Timer first;
  env.loop().Post([&] {
    const SteadyTime when = env.Now();
    first = env.loop().RunAt(when, [&] { victim.Cancel(); });
    victim = env.loop().RunAt(when, [&] { ran = true; });
  });
  Drain(env.loop());
  const Timer last = env.loop().RunAt(env.Now() + milliseconds(5), [&] { done.set_value(); });
  done.get_future().wait();
  EXPECT_FALSE(ran);
}

TEST(RuntimeTest, ATimerMayBeCancelledFromAnyThreadAndOutliveTheRuntime) {
  Timer timer;
  {
    Runtime runtime;
    Env& env = runtime.env();
    for (int i = 0; i < 200; ++i) {
      timer = env.loop().RunAt(env.Now() + std::chrono::microseconds(i), [] {});
    }
    timer = env.pool().RunAt(env.Now() + seconds(60), [] {});
  }
  timer.Cancel();
}

TEST(RuntimeTest, ThePoolGrowsWhenHandlersBlock) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::atomic<int> entered{0};
  std::promise<void> fourth;
  std::promise<void> timed;
  Runtime runtime({.max_handler_threads = 4});  // ends before what its threads use
  Env& env = runtime.env();
  for (int i = 0; i < 6; ++i) {
    env.pool().Post([&] {
      if (entered.fetch_add(1) + 1 == 4) fourth.set_value();
      released.wait();
    });
  }
  // Two start at once; the other two start because their tasks waited in the queue.
  fourth.get_future().wait();
  EXPECT_EQ(entered.load(), 4);
  release.set_value();
  const Timer timer = env.pool().RunAt(env.Now() + milliseconds(1), [&] { timed.set_value(); });
  timed.get_future().wait();
}

TEST(RuntimeTest, ATaskThatThrowsHarmsNobody) {
  Runtime runtime(Quiet());
  Env& env = runtime.env();
  env.loop().Post([] { throw std::runtime_error("loop"); });
  env.pool().Post([] { throw 1; });
  const Timer timer = env.loop().RunAt(env.Now(), [] { throw std::runtime_error("timer"); });
  const auto thread = env.NewThread("t", [] { throw std::runtime_error("thread"); });
  Drain(env.loop());
  Drain(env.pool());
}

TEST(RuntimeTest, ThreadsBlockSignalsButTheirOwnFaultsAndCarryNames) {
  Runtime runtime({.name = "rt"});
  Env& env = runtime.env();
  sigset_t mask;
  char name[16] = {};
  env.loop().Post([&] {
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    pthread_getname_np(pthread_self(), name, sizeof(name));
  });
  Drain(env.loop());
  EXPECT_EQ(sigismember(&mask, SIGTERM), 1);
  EXPECT_EQ(sigismember(&mask, SIGPIPE), 1);
  EXPECT_EQ(sigismember(&mask, SIGSEGV), 0) << "a crash handler of the host must see it";
  EXPECT_STREQ(name, "rt/loop");
}

TEST(RuntimeTest, MonitorsWaitInRealTime) {
  Runtime runtime;
  Env& env = runtime.env();
  const std::unique_ptr<Monitor> monitor = env.NewMonitor();
  bool flag = false;
  const auto thread = env.NewThread("setter", [&] {
    MonitorLock lock(*monitor);
    flag = true;
    monitor->NotifyOne();
  });
  MonitorLock lock(*monitor);
  while (!flag) lock.Wait();
  const SteadyTime deadline = env.Now() + milliseconds(3);
  while (lock.WaitUntil(deadline)) {
  }
  EXPECT_GE(env.Now(), deadline);
}

TEST(RuntimeTest, SleepForSleepsButNotOnTheLoop) {
  Runtime runtime(Quiet());
  Env& env = runtime.env();
  const SteadyTime start = env.Now();
  env.SleepFor(milliseconds(5));
  EXPECT_GE(env.Now() - start, milliseconds(5));
  env.loop().Post([&] { env.SleepFor(std::chrono::hours(1)); });
  Drain(env.loop());
}

TEST(RuntimeTest, DestructionDropsWhatWaits) {
  auto owned = std::make_shared<int>(1);
  Timer timer;
  {
    Runtime runtime;
    timer = runtime.env().loop().RunAt(runtime.env().Now() + seconds(60), [owned] {});
    EXPECT_EQ(owned.use_count(), 2);
  }
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(RuntimeTest, RandomIsSpread) {
  Runtime runtime;
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double unit = RandomUnit(runtime.env());
    ASSERT_GE(unit, 0);
    ASSERT_LT(unit, 1);
    sum += unit;
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.03);
}

TEST(RuntimeTest, OnlyARealEnvHasSockets) {
  Runtime runtime;
  Simulation sim;
  EXPECT_NE(internal::base::IoContextOf(runtime.env()), nullptr);
  EXPECT_EQ(internal::base::IoContextOf(sim.env()), nullptr);
}

}  // namespace
}  // namespace kinformer
