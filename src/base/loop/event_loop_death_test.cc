// Descriptors of an EventLoop: what happens without any, and without standard input.

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"

#include "base/core/testing/descriptors.h"
#include "base/loop/event_loop.h"

namespace kinformer::internal::base {
namespace {

using std::chrono::seconds;

#ifndef KINFORMER_TEST_NEEDS_DESCRIPTORS
TEST(EventLoopDeathTest, NoDescriptors_ThrowsWhatFailed) {
  EXPECT_EXIT(
      {
        const std::unique_ptr<LogSink> log = NewNullLog();
        const std::unique_ptr<MetricsSink> metrics = NewNullMetrics();
        const rlimit none{};
        setrlimit(RLIMIT_NOFILE, &none);
        try {
          const EventLoop loop({.host_driven = true}, *log, *metrics);
        } catch (const std::system_error& error) {
          std::fprintf(stderr, "%s\n", error.what());
          std::_Exit(error.code().value() == EMFILE ? 3 : 4);
        }
        std::_Exit(5);
      },
      ::testing::ExitedWithCode(3), "timerfd_create");
}
#endif

TEST(EventLoopDeathTest, StandardInputIsClosed_LoopWorks) {
  EXPECT_EXIT(
      {
        const std::unique_ptr<LogSink> log = NewNullLog();
        const std::unique_ptr<MetricsSink> metrics = NewNullMetrics();
        ::close(0);
        EventLoop loop({.host_driven = true}, *log, *metrics);
        bool ran = false;
        loop.Post([&] { ran = true; });
        loop.RunReady(seconds(5));
        std::_Exit(ran ? 3 : 4);
      },
      ::testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace kinformer::internal::base
