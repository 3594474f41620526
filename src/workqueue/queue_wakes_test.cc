// The number of workers that an item wakes: one at a time, and none if a worker spins. The test has
// its own monitor and scripts the events during waits and unlocks, all in one thread.

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "kinformer/base/simulation.h"
#include "kinformer/workqueue/work_queue.h"

#include "base/core/env_view.h"

namespace kinformer {
namespace {

using std::chrono::microseconds;
using Step = std::function<void()>;

class ScriptedEnv final : public internal::base::EnvView {
 public:
  explicit ScriptedEnv(Env& base) : EnvView(base, base.loop()) {}

  SteadyTime now = SteadyTime() + std::chrono::hours(1);
  Step while_waiting{};   // events during the next Wait
  Step while_unlocked{};  // events during the next unlock
  int waits = 0;
  int unlocks = 0;
  int notified = 0;
  int notified_all = 0;

  SteadyTime Now() const override { return now; }
  std::unique_ptr<Monitor> NewMonitor() override { return std::make_unique<Scripted>(*this); }
  bool OnLoopThread() const override { return false; }

 private:
  class Scripted final : public Monitor {
   public:
    explicit Scripted(ScriptedEnv& env) : env_(env) {}
    void Lock() override { Take(); }
    void Unlock() override {
      Leave();
      ++env_.unlocks;
      if (const Step step = std::exchange(env_.while_unlocked, {})) step();
    }
    void Wait() override {
      ++env_.waits;
      const Step step = std::exchange(env_.while_waiting, {});
      if (!step) throw std::logic_error("a wait that nobody would end");
      Leave();
      step();
      Take();
    }
    bool WaitUntil(SteadyTime) override { throw std::logic_error("a wait with an end"); }
    void NotifyOne() override { ++env_.notified; }
    void NotifyAll() override { ++env_.notified_all; }

   private:
    void Take() {
      if (std::exchange(locked_, true)) throw std::logic_error("somebody has the lock");
    }
    void Leave() {
      if (!std::exchange(locked_, false)) throw std::logic_error("nobody has the lock");
    }

    ScriptedEnv& env_;
    bool locked_ = false;
  };
};

class QueueWakesTest : public ::testing::Test {
 protected:
  // Returns the item that Get receives from `while_waiting` during its wait. Sets `unlocked` to the
  // number of unlocks before the wait: one if it spins.
  std::string GetWaiting(Step while_waiting, int* unlocked = nullptr) {
    const int before = env_.unlocks;
    env_.while_waiting = [=, this] {
      if (unlocked != nullptr) *unlocked = env_.unlocks - before;
      while_waiting();
    };
    const std::string item = queue_.Get().value_or("(none)");
    queue_.Done(item);
    return item;
  }
  Step Adds(const std::string& item, Duration after = Duration::zero()) {
    return [=, this] {
      env_.now += after;
      queue_.Add(item);
    };
  }

  Simulation sim_;
  ScriptedEnv env_{sim_.env()};
  WorkQueue<std::string> queue_{env_};
};

TEST_F(QueueWakesTest, AnItemWakesAWorkerThatWaitsAndNobodyElse) {
  queue_.Add("a");
  EXPECT_EQ(env_.notified, 0);
  EXPECT_EQ(queue_.Get(), "a");
  queue_.Done("a");
  EXPECT_EQ(GetWaiting(Adds("b", microseconds(10))), "b");
  EXPECT_EQ(env_.notified, 1);
  queue_.Add("c");
  EXPECT_EQ(queue_.Get(), "c");
  EXPECT_EQ(env_.notified, 1) << "the worker did not wait";
}

TEST_F(QueueWakesTest, DoneWithoutDrain_WakesNobody) {
  queue_.Add("a");
  EXPECT_EQ(queue_.Get(), "a");
  queue_.Done("a");
  EXPECT_EQ(GetWaiting(Adds("b")), "b");
  EXPECT_EQ(env_.notified_all, 0);
  queue_.ShutDown();
  EXPECT_EQ(env_.notified_all, 1);
}

TEST_F(QueueWakesTest, EachWorkerWakesTheNext) {
  env_.while_waiting = [&] {
    env_.while_waiting = [&] {
      for (const char* item : {"a", "b", "c"}) queue_.Add(item);
      EXPECT_EQ(env_.notified, 1) << "one for all three";
    };
    EXPECT_EQ(queue_.Get(), "a");
    EXPECT_EQ(env_.notified, 2) << "which wakes the other, since there is more";
  };
  EXPECT_EQ(queue_.Get(), "b");
  EXPECT_EQ(env_.notified, 2) << "nobody waits any more";
  EXPECT_EQ(queue_.Len(), 1U);
}

TEST_F(QueueWakesTest, AWorkerThatTakesTheLastItemWakesNobody) {
  env_.while_waiting = [&] {
    env_.while_waiting = Adds("a", microseconds(10));
    EXPECT_EQ(queue_.Get(), "a");
    EXPECT_EQ(env_.notified, 1);
    env_.while_waiting = Adds("b");
  };
  EXPECT_EQ(queue_.Get(), "b");
  EXPECT_EQ(env_.notified, 2);
  queue_.Done("a");
  EXPECT_EQ(env_.notified, 2) << "nothing to take up";
}

TEST_F(QueueWakesTest, ItemsInQuickSuccession_WorkerSpins) {
  int unlocked = -1;
  EXPECT_EQ(GetWaiting(Adds("a", microseconds(9)), &unlocked), "a");
  EXPECT_EQ(unlocked, 0) << "nothing says yet that they come quickly";
  EXPECT_EQ(env_.notified, 1);
  env_.while_unlocked = Adds("b", microseconds(9));
  EXPECT_EQ(queue_.Get(), "b");
  EXPECT_EQ(env_.waits, 1) << "it has not slept";
  EXPECT_EQ(env_.notified, 1) << "and nobody had to wake it";
  queue_.Done("b");
  // No item comes while the worker spins, and the next item comes late.
  EXPECT_EQ(GetWaiting(Adds("c", microseconds(10)), &unlocked), "c");
  EXPECT_EQ(unlocked, 1);
  EXPECT_EQ(env_.notified, 2);
  EXPECT_EQ(GetWaiting(Adds("d"), &unlocked), "d");
  EXPECT_EQ(unlocked, 0) << "no spinning for what comes slowly";
  EXPECT_EQ(env_.notified, 3);
}

TEST_F(QueueWakesTest, Spinning_IsForOneWorkerAtATime) {
  EXPECT_EQ(GetWaiting(Adds("a")), "a");
  int second_unlocked = -1;
  env_.while_unlocked = [&] {
    EXPECT_EQ(GetWaiting(Adds("b"), &second_unlocked), "b");
    env_.while_waiting = Adds("c");
  };
  EXPECT_EQ(queue_.Get(), "c");
  EXPECT_EQ(second_unlocked, 0);
  EXPECT_EQ(env_.notified, 2) << "for a and for c: the spinner was told of b without";
  queue_.Done("c");
  int unlocked = -1;
  EXPECT_EQ(GetWaiting(Adds("d"), &unlocked), "d");
  EXPECT_EQ(unlocked, 1) << "the place of the spinner is free again";
}

TEST_F(QueueWakesTest, HeldItemAddedAgain_WakesNobodyBeforeDone) {
  queue_.Add("a");
  EXPECT_EQ(queue_.Get(), "a");
  env_.while_waiting = [&] {
    queue_.Add("a");
    EXPECT_EQ(env_.notified, 0);
    queue_.Done("a");
    EXPECT_EQ(env_.notified, 1);
  };
  EXPECT_EQ(queue_.Get(), "a");
}

}  // namespace
}  // namespace kinformer
