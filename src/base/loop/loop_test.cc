// Additional event loops, and a loop driven by the host, with the real Runtime.

#include <atomic>
#include <csignal>
#include <functional>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <poll.h>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

RuntimeOptions HostDriven() { return {.log = NewNullLog(), .host_driven_loop = true}; }

bool Readable(const Runtime& runtime, int timeout_ms = 0) {
  pollfd fd{.fd = runtime.Fd(), .events = POLLIN, .revents = 0};
  return poll(&fd, 1, timeout_ms) == 1;
}

// Acts like a host: sleeps until the descriptor is readable, then runs ready tasks.
void DriveUntil(Runtime& runtime, const std::function<bool()>& done) {
  while (!done()) {
    ASSERT_TRUE(Readable(runtime, 20'000)) << "nothing woke the host";
    runtime.RunReady();
  }
}

void Drain(Executor& executor) {
  const auto reached = std::make_shared<std::promise<void>>();
  executor.Post([reached] { reached->set_value(); });
  reached->get_future().wait();
}

TEST(HostLoopTest, IsReadableWhileThereIsSomethingToRun) {
  Runtime runtime(HostDriven());
  while (runtime.RunReady()) {
  }
  EXPECT_FALSE(Readable(runtime));
  int runs = 0;
  runtime.env().loop().Post([&] {
    ++runs;
    runtime.env().loop().Post([&] { ++runs; });
  });
  EXPECT_TRUE(Readable(runtime));
  EXPECT_EQ(runs, 0);
  while (runtime.RunReady()) {
  }
  EXPECT_EQ(runs, 2);
  EXPECT_FALSE(Readable(runtime));
}

TEST(HostLoopTest, NoTaskOfAnotherThreadIsMissed) {
  Runtime runtime(HostDriven());
  constexpr int kTasks = 5000;
  int runs = 0;
  std::vector<std::thread> posters;
  for (int p = 0; p < 2; ++p) {
    posters.emplace_back([&] {
      for (int i = 0; i < kTasks; ++i) runtime.env().loop().Post([&] { ++runs; });
    });
  }
  DriveUntil(runtime, [&] { return runs == 2 * kTasks; });
  for (std::thread& poster : posters) poster.join();
}

TEST(HostLoopTest, WakesForTimers) {
  Runtime runtime(HostDriven());
  Env& env = runtime.env();
  const SteadyTime start = env.Now();
  std::string order;
  const Timer late = env.loop().RunAt(start + milliseconds(20), [&] { order.push_back('b'); });
  const Timer early = env.loop().RunAt(start + milliseconds(5), [&] { order.push_back('a'); });
  Timer elsewhere;
  std::thread([&] {
    elsewhere = env.loop().RunAt(start + milliseconds(30), [&] { order.push_back('c'); });
  }).join();
  DriveUntil(runtime, [&] { return order.size() == 3; });
  EXPECT_EQ(order, "abc");
  EXPECT_GE(env.Now() - start, milliseconds(30));
}

TEST(HostLoopTest, RunsInSlicesAndSaysThatThereIsMore) {
  std::function<void()> again;  // outlives the runtime, which runs remaining tasks
  Runtime runtime(HostDriven());
  again = [&] { runtime.env().loop().Post([&] { again(); }); };
  again();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(runtime.RunReady(std::chrono::microseconds(50)));
    EXPECT_TRUE(Readable(runtime));
  }
  again = [] {};
}

TEST(HostLoopTest, TheHostsThreadIsTheLoopsThread) {
  Runtime runtime(HostDriven());
  Env& env = runtime.env();
  EXPECT_TRUE(env.loop().InThisExecutor());
  EXPECT_TRUE(env.OnLoopThread());
  env.SleepFor(std::chrono::hours(1));  // returns at once, because nobody would wake it
  bool elsewhere = true;
  std::thread([&] { elsewhere = env.OnLoopThread(); }).join();
  EXPECT_FALSE(elsewhere);
  // Another thread takes over the loop.
  std::thread([&] {
    runtime.RunReady();
    elsewhere = env.OnLoopThread();
  }).join();
  EXPECT_TRUE(elsewhere);
  EXPECT_FALSE(env.OnLoopThread());
}

TEST(HostLoopTest, RefusesToRunInsideATaskAndGoesOnAfterAnException) {
  Runtime runtime(HostDriven());
  bool inner = true;
  bool after = false;
  runtime.env().loop().Post([&] { inner = runtime.RunReady(); });
  runtime.env().loop().Post([] { throw std::runtime_error("task"); });
  runtime.env().loop().Post([&] { after = true; });
  while (runtime.RunReady()) {
  }
  EXPECT_FALSE(inner);
  EXPECT_TRUE(after);
}

TEST(HostLoopTest, ThePoolWorksBesideIt) {
  Runtime runtime(HostDriven());
  std::atomic<bool> ran{false};
  const Timer timer = runtime.env().pool().RunAt(runtime.env().Now() + milliseconds(1), [&] {
    runtime.env().loop().Post([&] { ran = true; });
  });
  DriveUntil(runtime, [&] { return ran.load(); });
}

TEST(HostLoopTest, DestructionRunsWhatIsReadyAndDropsWhatWaits) {
  auto owned = std::make_shared<int>(1);
  bool ran = false;
  Timer timer;
  {
    Runtime runtime(HostDriven());
    timer = runtime.env().loop().RunAt(runtime.env().Now() + seconds(60), [owned] {});
    runtime.env().loop().Post([&] { ran = true; });
  }
  EXPECT_TRUE(ran);
  EXPECT_EQ(owned.use_count(), 1);
}

// A destructor that did not wait for the handler would have a while for what else it does.
TEST(HostLoopTest, Destruction_RunsWhatAHandlerPostsThatStillRuns) {
  std::promise<void> begun;
  bool ran = false;
  {
    Runtime runtime(HostDriven());
    Env& env = runtime.env();
    env.pool().Post([&] {
      begun.set_value();
      env.SleepFor(milliseconds(20));
      env.loop().Post([&] { ran = true; });
    });
    begun.get_future().wait();
  }
  EXPECT_TRUE(ran);
}

TEST(HostLoopTest, RuntimeWithOwnThread_HasNothingToDrive) {
  Runtime runtime({.log = NewNullLog()});
  EXPECT_EQ(runtime.Fd(), -1);
  EXPECT_FALSE(runtime.RunReady());
}

TEST(NewLoopTest, HasAThreadOfItsOwnAndSharesTheRest) {
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  Runtime runtime({.name = "rt", .metrics = metrics});
  Env& env = runtime.env();
  const std::unique_ptr<Loop> loop = env.NewLoop("leases");
  Env& view = loop->env();
  EXPECT_EQ(&view.pool(), &env.pool());
  EXPECT_EQ(&view.log(), &env.log());
  EXPECT_NE(&view.loop(), &env.loop());
  char name[16] = {};
  bool here = false;
  bool main = true;
  bool on_loop = false;
  view.loop().Post([&] {
    pthread_getname_np(pthread_self(), name, sizeof(name));
    here = view.loop().InThisExecutor();
    main = env.loop().InThisExecutor();
    on_loop = env.OnLoopThread() && view.OnLoopThread();
  });
  Drain(view.loop());
  EXPECT_STREQ(name, "rt/leases");
  EXPECT_TRUE(here);
  EXPECT_FALSE(main);
  EXPECT_TRUE(on_loop);
  EXPECT_FALSE(env.OnLoopThread());
  EXPECT_THAT(metrics->Text(), HasSubstr("kinformer_loop_lag_seconds_count{loop=\"leases\"}"));
  EXPECT_THAT(metrics->Text(), HasSubstr("kinformer_loop_lag_seconds_count{loop=\"main\"}"));
}

TEST(NewLoopTest, SecondLoop_RunsWhileFirstBlocks) {
  Runtime runtime;
  Env& env = runtime.env();
  const std::unique_ptr<Loop> loop = env.NewLoop("second");
  std::promise<void> release;
  env.loop().Post([&] { release.get_future().wait(); });
  loop->env().loop().Post([&] { release.set_value(); });
  Drain(env.loop());
}

TEST(NewLoopTest, DestructionDropsWhatWaits) {
  auto owned = std::make_shared<int>(1);
  Runtime runtime;
  std::promise<void> inside;
  std::promise<void> release;
  Timer timer;
  bool ran = false;
  {
    const std::unique_ptr<Loop> loop = runtime.env().NewLoop("second");
    Env& env = loop->env();
    timer = env.loop().RunAt(env.Now() + seconds(60), [owned] {});
    env.loop().Post([&] {
      inside.set_value();
      release.get_future().wait();
      ran = true;
    });
    inside.get_future().wait();
    runtime.env().loop().Post([&] { release.set_value(); });
  }
  EXPECT_TRUE(ran) << "the task that runs ends first";
  EXPECT_EQ(owned.use_count(), 1);
  timer.Cancel();
}

TEST(NewLoopTest, SecondLoop_RunsBesideHostDrivenLoop) {
  Runtime runtime(HostDriven());
  const std::unique_ptr<Loop> loop = runtime.env().NewLoop("second");
  Drain(loop->env().loop());  // although nobody drives the first loop
}

TEST(NewLoopDeathTest, EndsTheProcessWhenDestroyedOnItsOwnThread) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        Runtime runtime;
        std::unique_ptr<Loop> loop = runtime.env().NewLoop("second");
        loop->env().loop().Post([&] { loop.reset(); });
        Drain(loop->env().loop());
      },
      ::testing::KilledBySignal(SIGABRT), "a Loop was destroyed on one of its own threads");
}

}  // namespace
}  // namespace kinformer
