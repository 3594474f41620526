#include "kinformer/base/task.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"

#include "base/loop/signal.h"
#include "base/loop/testing/unserved_executor.h"

namespace kinformer {
namespace {

using internal::base::Signal;
using std::chrono::seconds;

Task<Result<int>> Number(int number) { co_return number; }

Task<Result<int>> Sum(int most) {
  int sum = 0;
  for (int i = 1; i <= most; ++i) {
    const Result<int> next = co_await Number(i);
    sum += *next;
  }
  co_return sum;
}

Task<Result<int>> Throws(bool at_once) {
  if (!at_once) static_cast<void>(co_await Number(1));
  throw std::runtime_error("oops");
}

// Waits for the signal that many times, and records the threads on which it continued.
Task<Result<int>> Waits(std::shared_ptr<Signal> signal, int times,
                        std::vector<std::thread::id>* threads) {
  for (int i = 0; i < times; ++i) {
    co_await signal->Wait();
    threads->push_back(std::this_thread::get_id());
  }
  co_return times;
}

// Counts its copies that are alive.
class Alive {
 public:
  explicit Alive(std::atomic<int>& count) : count_(&count) { ++*count_; }
  Alive(const Alive& other) : count_(other.count_) { ++*count_; }
  Alive& operator=(const Alive&) = delete;
  ~Alive() { --*count_; }

 private:
  std::atomic<int>* count_;
};

Task<Result<int>> Holds(Alive alive, std::shared_ptr<Signal> signal) {
  const Alive another(alive);
  co_await signal->Wait();
  co_return 1;
}

constexpr int kRounds = 2'000;

Task<Result<int>> Echo(std::shared_ptr<Signal> in, std::shared_ptr<Signal> out,
                       std::atomic<int>* rounds) {
  for (int i = 0; i < kRounds; ++i) {
    co_await in->Wait();
    ++*rounds;
    out->Notify();
  }
  co_return kRounds;
}

Task<Result<int>> Ask(std::shared_ptr<Signal> out, std::shared_ptr<Signal> in) {
  for (int i = 0; i < kRounds; ++i) {
    out->Notify();
    co_await in->Wait();
  }
  co_return kRounds;
}

class TaskTest : public ::testing::Test {
 protected:
  Runtime runtime_{{.log = NewNullLog()}};
  Env& env_ = runtime_.env();
};

TEST_F(TaskTest, BlockOn_RunsATaskWithAllThatItAwaits) {
  EXPECT_EQ(*BlockOn(env_, Sum(100)), 5050);
  // Each await would take stack if one coroutine called the next.
  EXPECT_EQ(*BlockOn(env_, Sum(60'000)), 1'800'030'000);
}

TEST_F(TaskTest, BlockOn_ThrowsWhatLeavesTheTask) {
  for (const bool at_once : {true, false}) {
    EXPECT_THROW(static_cast<void>(BlockOn(env_, Throws(at_once))), std::runtime_error);
  }
}

TEST_F(TaskTest, BlockOn_OnALoop_IsAnError) {
  std::optional<Result<int>> result;
  const auto signal = std::make_shared<Signal>();
  env_.loop().Post([&] {
    result = BlockOn(env_, Number(1));
    signal->Notify();
  });
  std::vector<std::thread::id> threads;
  EXPECT_TRUE(BlockOn(env_, Waits(signal, 1, &threads)).ok());
  EXPECT_EQ(result->error().reason(), Reason::kWouldDeadlock);
}

TEST_F(TaskTest, BlockOn_ContinuesOnTheThreadThatWaits) {
  const auto signal = std::make_shared<Signal>();
  std::vector<std::thread::id> threads;
  env_.loop().Post([signal] { signal->Notify(); });
  EXPECT_TRUE(BlockOn(env_, Waits(signal, 1, &threads)).ok());
  EXPECT_EQ(threads, std::vector(1, std::this_thread::get_id()));
}

TEST_F(TaskTest, Task_ThatIsNotAwaited_DoesNotRunAndReleasesItsParameters) {
  std::atomic<int> alive{0};
  const auto signal = std::make_shared<Signal>();
  {
    const Task<Result<int>> task = Holds(Alive(alive), signal);
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST_F(TaskTest, Spawn_RunsOnItsExecutorAndPassesTheResult) {
  for (Executor* executor : {&env_.loop(), &env_.pool()}) {
    const auto signal = std::make_shared<Signal>();
    std::atomic<int> got{0};
    std::atomic<bool> there{false};
    Spawn<Result<int>>(env_, *executor, Sum(10), [&, executor](Result<int> sum) {
      there = executor->InThisExecutor();
      got = *sum;
      signal->Notify();
    });
    std::vector<std::thread::id> threads;
    EXPECT_TRUE(BlockOn(env_, Waits(signal, 1, &threads)).ok());
    EXPECT_EQ(got, 55);
    EXPECT_TRUE(there);
  }
}

TEST_F(TaskTest, Spawn_OfATaskThatThrows_IsAnErrorAndCounted) {
  const auto signal = std::make_shared<Signal>();
  std::optional<Result<int>> got;
  Spawn<Result<int>>(env_, Throws(false), [&](Result<int> result) {
    got = std::move(result);
    signal->Notify();
    throw std::runtime_error("the function, too");
  });
  std::vector<std::thread::id> threads;
  EXPECT_TRUE(BlockOn(env_, Waits(signal, 1, &threads)).ok());
  ASSERT_FALSE(got->ok());
  EXPECT_NE(got->error().message().find("oops"), std::string::npos) << got->error();
}

TEST(SpawnedTask, OnAnExecutorThatHasEnded_IsDestroyed) {
  Simulation sim;
  internal::base::UnservedExecutor ended;  // destroys its tasks without running them
  std::atomic<int> alive{0};
  bool called = false;
  Spawn<Result<int>>(sim.env(), ended, Holds(Alive(alive), std::make_shared<Signal>()),
                     [&](const Result<int>&) { called = true; });
  EXPECT_EQ(alive, 0);
  EXPECT_FALSE(called);
}

TEST(SpawnedTask, WaitsInSimulatedTime) {
  Simulation sim;
  const auto signal = std::make_shared<Signal>();
  std::vector<std::thread::id> threads;
  std::optional<SteadyTime> ended;
  Spawn<Result<int>>(sim.env(), sim.env().loop(), Waits(signal, 2, &threads),
                     [&](const Result<int>&) { ended = sim.env().Now(); });
  const SteadyTime begun = sim.env().Now();
  const Timer first = sim.env().loop().RunAt(begun + seconds(1), [&] { signal->Notify(); });
  const Timer second = sim.env().loop().RunAt(begun + seconds(3), [&] { signal->Notify(); });
  sim.RunFor(seconds(10));
  ASSERT_TRUE(ended);
  EXPECT_EQ(*ended - begun, seconds(3));
}

// For the thread sanitizer: notifications come while the turn that began the wait still runs.
TEST_F(TaskTest, NotificationsOfOtherThreads_AreNotLost) {
  const auto signal = std::make_shared<Signal>();
  const auto heard = std::make_shared<Signal>();
  std::atomic<int> rounds{0};
  Spawn<Result<int>>(env_, Echo(signal, heard, &rounds));
  EXPECT_EQ(*BlockOn(env_, Ask(signal, heard)), kRounds);
  EXPECT_EQ(rounds, kRounds);
}

TEST(AwaitUntilTest, EndsAtItsDeadlineAndWhenItIsStopped) {
  Simulation sim;
  Env& env = sim.env();
  const auto signal = std::make_shared<Signal>();
  std::stop_source stop;
  for (const bool stopped : {false, true}) {
    const SteadyTime deadline = env.Now() + seconds(5);
    int checks = 0;
    std::optional<SteadyTime> ended;
    const auto check = [&]() -> std::optional<Result<void>> {
      ++checks;
      if (stop.stop_requested() || env.Now() >= deadline) return Result<void>();
      return std::nullopt;
    };
    Spawn<Result<void>>(env, env.loop(),
                        internal::base::AwaitUntil(env, signal, stop.get_token(), deadline, check),
                        [&](const Result<void>&) { ended = env.Now(); });
    sim.RunFor(seconds(2));
    EXPECT_FALSE(ended);
    if (stopped) stop.request_stop();
    sim.RunFor(seconds(8));
    ASSERT_TRUE(ended);
    EXPECT_EQ(deadline - *ended, stopped ? seconds(3) : seconds(0));
    EXPECT_EQ(checks, 2);
  }
}

}  // namespace
}  // namespace kinformer
