// The order in which a Runtime ends.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <unistd.h>
#include <utility>

#include "kinformer/base/runtime.h"

#include "base/core/testing/fields_log.h"
#include "base/loop/own_work.h"

namespace kinformer::internal::base {
namespace {

using std::chrono::seconds;

RuntimeOptions HostDriven() { return {.log = NewNullLog(), .host_driven_loop = true}; }

TEST(RuntimeEnd, Quiet_ForEachSortOfLoop) {
  const auto log = std::make_shared<FieldsLog>(LogLevel::kDebug);
  for (const bool host_driven : {false, true}) {
    const Runtime runtime({.log = log, .host_driven_loop = host_driven});
  }
  EXPECT_EQ(log->text(), "");
}

// A handler may wait for a task of the loop that nobody drives any more.
TEST(RuntimeEnd, LoopTasksThatAreReady_RunBeforeHandlersAreAwaited) {
  std::promise<void> ran;
  std::promise<void> begun;
  bool ended = false;
  {
    Runtime runtime(HostDriven());
    runtime.env().pool().Post([&] {
      begun.set_value();
      ran.get_future().wait();
      ended = true;
    });
    begun.get_future().wait();
    runtime.env().loop().Post([&] { ran.set_value(); });
  }
  EXPECT_TRUE(ended);
}

// Own work is told to end, even where a handler waits for it, and its last tasks still run.
TEST(RuntimeEnd, OwnWork_EndsBeforeHandlersAndContinuesOnTheLoop) {
  std::promise<void> begun;
  std::promise<void> handled;
  std::string order;
  {
    Runtime runtime(HostDriven());
    Env& env = runtime.env();
    const OwnWork own = OwnWorkOf(env);
    env.pool().Post([&] { handled.get_future().wait(); });
    own.threads.Post([&, ends = own.ends] {
      std::promise<void> stop;
      const std::stop_callback told(ends, [&] { stop.set_value(); });
      begun.set_value();
      stop.get_future().wait();
      handled.set_value();
      env.loop().Post([&] { order += "continued"; });
    });
    begun.get_future().wait();
  }
  EXPECT_EQ(order, "continued");
}

// A task that posts itself for ever is destroyed some time.
TEST(RuntimeEnd, TaskThatPostsItself_DoesNotHoldItUp) {
  std::function<void()> again;  // outlives the runtime
  const auto owned = std::make_shared<int>(0);
  {
    Runtime runtime(HostDriven());
    Env& env = runtime.env();
    again = [&env, &again, counts = std::weak_ptr<int>(owned)] {
      const std::shared_ptr<int> count = counts.lock();
      ++*count;
      env.loop().Post([&again, count] { again(); });
    };
    again();
  }
  EXPECT_GT(*owned, 1) << "it ran";
  EXPECT_EQ(owned.use_count(), 1) << "and what was left is destroyed";
}

TEST(RuntimeEndDeathTest, OnOneOfItsThreads_EndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  using Where = Executor& (*)(Env&);
  const Where places[] = {
      [](Env& env) -> Executor& { return env.loop(); },
      [](Env& env) -> Executor& { return env.pool(); },
      [](Env& env) -> Executor& { return OwnWorkOf(env).threads; },
  };
  for (const Where place : places) {
    EXPECT_EXIT(
        {
          auto runtime = std::make_unique<Runtime>();
          Executor& executor = place(runtime->env());
          executor.Post([&] { runtime.reset(); });
          while (true) pause();
        },
        ::testing::KilledBySignal(SIGABRT), "a Runtime was destroyed on one of its own threads");
  }
  // The host's thread, inside a task.
  EXPECT_EXIT(
      {
        auto runtime = std::make_unique<Runtime>(RuntimeOptions{.host_driven_loop = true});
        runtime->env().loop().Post([&] { runtime.reset(); });
        runtime->RunReady(seconds(5));
        std::_Exit(0);
      },
      ::testing::KilledBySignal(SIGABRT), "a Runtime was destroyed on one of its own threads");
}

}  // namespace
}  // namespace kinformer::internal::base
