// A process that forks while its Runtime runs: the child can end without harm to the parent.

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kinformer/base/env.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/stop.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Runs `child` in a forked process and returns its exit status; -1 if it had to be killed.
int StatusOfChild(const std::function<void()>& child) {
  const pid_t pid = fork();
  if (pid == 0) {
    child();
    _exit(99);
  }
  pollfd ended{static_cast<int>(syscall(SYS_pidfd_open, pid, 0)), POLLIN, 0};
  const bool in_time = poll(&ended, 1, 20000) == 1;
  close(ended.fd);
  if (!in_time) kill(pid, SIGKILL);
  int status = -1;
  waitpid(pid, &status, 0);
  return in_time ? status : -1;
}

bool Alive(Runtime& runtime) {
  std::promise<void> ran;
  runtime.env().loop().Post([&] { ran.set_value(); });
  std::promise<void> timed;
  const Timer timer =
      runtime.env().loop().RunAt(runtime.env().Now() + milliseconds(1), [&] { timed.set_value(); });
  return ran.get_future().wait_for(seconds(20)) == std::future_status::ready &&
         timed.get_future().wait_for(seconds(20)) == std::future_status::ready;
}

TEST(ForkTest, TheChildOfARuntimeEnds_M8) {
  auto runtime = std::make_unique<Runtime>();
  std::unique_ptr<Loop> loop = runtime->env().NewLoop("second");
  std::promise<void> end;
  std::unique_ptr<Thread> thread =
      runtime->env().NewThread("waits", [&] { end.get_future().wait(); });
  ASSERT_TRUE(Alive(*runtime));
  const int status = StatusOfChild([&] {
    bool dropped = false;
    {
      std::shared_ptr<void> guard(nullptr, [&](void*) { dropped = true; });
      runtime->env().loop().Post([held = std::move(guard)] {});
    }
    runtime->env().pool().Post([] {});
    const Timer timer = runtime->env().loop().RunAt(runtime->env().Now(), [] {});
    thread.reset();
    loop.reset();
    runtime.reset();
    std::_Exit(dropped ? 7 : 8);
  });
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 7) << "what is posted in the child is dropped at once";
  EXPECT_TRUE(Alive(*runtime)) << "the parent's loop goes on";
  end.set_value();
  thread.reset();
  loop.reset();
}

TEST(ForkTest, SignalToChild_DoesNotStopParent_M8) {
  StopSource stop = StopOnSignals();
  const int status = StatusOfChild([] {
    raise(SIGTERM);
    pause();
  });
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
  EXPECT_FALSE(stop.stop_requested());
  raise(SIGTERM);
  stop.Wait();
  EXPECT_TRUE(stop.stop_requested());
}

}  // namespace
}  // namespace kinformer
