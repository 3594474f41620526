// Threads of the library inside another program: names, signals, exceptions, forks.

#include "base/core/real_thread.h"

#include <csignal>
#include <cstdlib>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "kinformer/base/closure.h"

#include "base/core/forked.h"
#include "base/core/testing/fields_log.h"

namespace kinformer::internal::base {
namespace {

std::string NameOf(const std::string& name) {
  char got[32] = {};
  StartThread(name, [&] { pthread_getname_np(pthread_self(), got, sizeof(got)); }).join();
  return got;
}

TEST(StartThreadTest, Name_IsTruncatedToFifteenBytes) {
  EXPECT_EQ(NameOf("short"), "short");
  EXPECT_EQ(NameOf("12345678901234"), "12345678901234");
  EXPECT_EQ(NameOf("123456789012345"), "123456789012345");
  EXPECT_EQ(NameOf("1234567890123456"), "123456789012345");
  EXPECT_EQ(NameOf("12345678901234567890123456789012345"), "123456789012345");
}

TEST(StartThreadTest, Signals_AreBlockedThereAndNotHere) {
  sigset_t before;
  sigset_t after;
  sigset_t there;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  StartThread("t", [&] { pthread_sigmask(SIG_SETMASK, nullptr, &there); }).join();
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < 32; ++signal) {
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal)) << signal;
    if (signal == SIGKILL || signal == SIGSTOP) continue;
    bool own = false;
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
      own = own || signal == fault;
    }
    EXPECT_EQ(sigismember(&there, signal), own ? 0 : 1) << signal;
  }
}

TEST(StartThreadTest, Captures_AreDestroyedBeforeTheThreadEnds) {
  const auto owned = std::make_shared<int>(1);
  bool ran = false;
  std::thread thread = StartThread("t", [&ran, owned] { ran = true; });
  thread.join();
  EXPECT_TRUE(ran);
  EXPECT_EQ(owned.use_count(), 1);
  const auto elsewhere = std::make_shared<std::promise<std::thread::id>>();
  StartDetachedThread("d", [elsewhere] { elsewhere->set_value(std::this_thread::get_id()); });
  EXPECT_NE(elsewhere->get_future().get(), std::this_thread::get_id());
}

TEST(RunContainedTest, Exceptions_AreLoggedUnderThePlace) {
  FieldsLog log;
  int runs = 0;
  Closure good([&] { ++runs; });
  RunContained(good, log, "there");
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(log.text(), "");
  Closure bad([] { throw std::runtime_error("oops"); });
  RunContained(bad, log, "there");
  Closure odd([] { throw 1; });
  RunContained(odd, log, "here");
  EXPECT_EQ(log.text(),
            "a task threw where=there what=oops\n"
            "a task threw where=here what=something that is no std::exception\n");
}

TEST(RunContainedDeathTest, NoMemory_EndsTheProcess) {
  EXPECT_EXIT(
      {
        FieldsLog log;
        Closure task([] { throw std::bad_alloc(); });
        RunContained(task, log, "some place");
        std::_Exit(0);
      },
      ::testing::KilledBySignal(SIGABRT), "out of memory \\(some place\\)");
}

TEST(DieOfOwnThreadDeathTest, EndsTheProcessWithWords) {
  EXPECT_EXIT(DieOfOwnThread("Thing"), ::testing::KilledBySignal(SIGABRT),
              "kinformer: a Thing was destroyed on one of its own threads; it would wait for "
              "itself. Let the thread that made it destroy it.\n");
}

// ---- forks

// Returns how a forked process ended.
template <class Body>
int StatusOfChild(const Body& body) {
  const pid_t pid = fork();
  if (pid == 0) _exit(body());
  int status = -1;
  waitpid(pid, &status, 0);
  return status;
}

TEST(BirthplaceTest, Child_IsAnotherProcess) {
  const Birthplace here;
  EXPECT_FALSE(here.InAnotherProcess());
  here.AbortInAnotherProcess();  // does nothing
  const int status = StatusOfChild([&] {
    const Birthplace inside;
    const bool grandchild = StatusOfChild([&] {
                              return inside.InAnotherProcess() && here.InAnotherProcess() ? 5 : 6;
                            }) == 5 << 8;
    return here.InAnotherProcess() && !inside.InAnotherProcess() && grandchild ? 3 : 4;
  });
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_FALSE(here.InAnotherProcess());
}

TEST(BirthplaceDeathTest, LockOfTheParent_AbortsTheChild) {
  GTEST_FLAG_SET(death_test_style, "fast");  // only forks
  const Birthplace here;
  EXPECT_EXIT(here.AbortInAnotherProcess(), ::testing::KilledBySignal(SIGABRT),
              "a lock made before fork\\(\\) is taken in the child\n");
}

}  // namespace
}  // namespace kinformer::internal::base
