// Exceptions from user functions, paths that are not regular files, URLs with passwords.

#include "base/core/user_call.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"

#include "base/core/deadline.h"
#include "base/core/testing/fields_log.h"
#include "base/text/redacted_url.h"
#include "base/text/regular_file.h"

namespace kinformer::internal::base {
namespace {

using ::testing::HasSubstr;

TEST(UserCallTest, UserFunctionThrows_ReturnsErrorLogsAndCounts_H5) {
  const auto log = std::make_shared<FieldsLog>(LogLevel::kDebug);
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  Simulation sim({.log = log, .metrics = metrics});
  EXPECT_TRUE(CallUser(sim.env(), "the tweak", [] {}).ok());
  EXPECT_EQ(log->text(), "");
  const Result<void> thrown = CallUser(
      sim.env(), "the tweak", [] { throw std::runtime_error("oops"); }, [] { return "pods"; });
  EXPECT_EQ(thrown.error().message(), "the tweak of pods threw: oops");
  EXPECT_FALSE(CallUser(sim.env(), "the tweak", [] { throw 1; }).ok());
  EXPECT_FALSE(CallUser(sim.env(), "the trace", [] { throw std::bad_alloc(); }).ok());
  EXPECT_THAT(log->text(), HasSubstr("function=the tweak of=pods err=oops"));
  EXPECT_THAT(log->text(), HasSubstr("err=something that is no std::exception"));
  EXPECT_THAT(metrics->Text(),
              HasSubstr("kinformer_user_exceptions_total{function=\"the tweak\"} 2\n"));
}

class ThrowingLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { throw std::runtime_error("level"); }
  void Log(LogLevel, std::string_view, std::initializer_list<LogField>) override {
    throw std::runtime_error("log");
  }
};

TEST(UserCallTest, ALogSinkMayThrow_H5) {
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  Runtime runtime({.log = std::make_shared<ThrowingLog>(), .metrics = metrics});
  ::testing::internal::CaptureStderr();
  runtime.env().log().Log(LogLevel::kError, "x", {});
  runtime.env().log().Log(LogLevel::kError, "y", {});
  EXPECT_EQ(runtime.env().log().level(), LogLevel::kWarning);
  const std::string told = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, HasSubstr("the log sink threw: level"));
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
  EXPECT_THAT(metrics->Text(), HasSubstr("{function=\"the log sink\"} 5\n"));
}

class EveryLine final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel, std::string_view message, std::initializer_list<LogField>) override {
    lines.emplace_back(message);
  }
  std::vector<std::string> lines{};
};

TEST(UserCallTest, ALogSink_IsGivenNoLineBelowItsLevel) {
  const auto log = std::make_shared<EveryLine>();
  Runtime runtime({.log = log});
  Simulation sim({.log = log});
  for (Env* const env : {&runtime.env(), &sim.env()}) {
    env->log().Log(LogLevel::kInfo, "info", {});
    env->log().Log(LogLevel::kWarning, "warning", {});
    env->log().Log(LogLevel::kError, "error", {});
  }
  EXPECT_THAT(log->lines, ::testing::ElementsAre("warning", "error", "warning", "error"));
}

class ThrowingMetrics final : public MetricsSink {
 public:
  class Instrument final : public Counter, public Gauge, public Histogram {
   public:
    void Add(double) override { throw std::runtime_error("add"); }
    void Set(double) override { throw std::runtime_error("set"); }
    void Observe(double) override { throw std::runtime_error("observe"); }
  };
  std::shared_ptr<Counter> NewCounter(std::string_view, std::string_view, MetricLabels) override {
    throw std::runtime_error("counter");
  }
  std::shared_ptr<Gauge> NewGauge(std::string_view, std::string_view, MetricLabels) override {
    return std::make_shared<Instrument>();
  }
  std::shared_ptr<Histogram> NewHistogram(std::string_view, std::string_view,
                                          MetricLabels) override {
    return std::make_shared<Instrument>();
  }
};

TEST(UserCallTest, AMetricsSinkMayThrow_H5) {
  const auto log = std::make_shared<FieldsLog>(LogLevel::kDebug);
  Runtime runtime({.log = log, .metrics = std::make_shared<ThrowingMetrics>()});
  MetricsSink& metrics = runtime.env().metrics();
  EXPECT_TRUE(metrics.enabled());
  metrics.NewCounter("a", "", {})->Add();
  metrics.NewGauge("b", "", {})->Set(1);
  metrics.NewGauge("b", "", {})->Add(1);
  metrics.NewHistogram("c", "", {})->Observe(1);
  const std::string text = log->text();
  EXPECT_THAT(text, HasSubstr("function=the metrics sink"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

// Both sinks throw: they must not call each other in a loop.
TEST(UserCallTest, BothSinksMayThrow_H5) {
  ::testing::internal::CaptureStderr();
  {
    Runtime runtime(
        {.log = std::make_shared<ThrowingLog>(), .metrics = std::make_shared<ThrowingMetrics>()});
    (void)CallUser(runtime.env(), "x", [] { throw 1; });
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("the log sink threw"));
}

// A death test forks, so it should run without other threads.
TEST(OutOfMemoryDeathTest, ATaskWithoutMemoryEndsTheProcessWithWords_M9) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        Runtime runtime;
        runtime.env().loop().Post([] { throw std::bad_alloc(); });
        pause();
      },
      ::testing::KilledBySignal(SIGABRT),
      "kinformer: out of memory \\(event loop\\); the process ends");
}

// ---- files

class RegularFileTest : public ::testing::Test {
 protected:
  ~RegularFileTest() override { std::filesystem::remove_all(dir_); }
  std::string Read(const std::string& path) {
    const Result<std::string> got = ReadRegularFile(path, std::size_t{1} << 20);
    return got ? *got : "error: " + got.error().message();
  }
  const std::string dir_ = [] {
    std::string path = ::testing::TempDir() + "kinformer-file-XXXXXX";
    return std::string(mkdtemp(path.data()));
  }();
};

TEST_F(RegularFileTest, OnlyRegularFilesAndLinksToThem_AreRead_M11) {
  std::ofstream(dir_ + "/file") << "text";
  // As for a projected token: a link to a file below a link to a folder.
  std::filesystem::create_directory(dir_ + "/..2026");
  std::ofstream(dir_ + "/..2026/token") << "token";
  std::filesystem::create_directory_symlink("..2026", dir_ + "/..data");
  std::filesystem::create_symlink("..data/token", dir_ + "/token");
  EXPECT_EQ(Read(dir_ + "/file"), "text");
  EXPECT_EQ(Read(dir_ + "/token"), "token");

  ASSERT_EQ(mkfifo((dir_ + "/fifo").c_str(), 0600), 0);
  std::filesystem::create_symlink("fifo", dir_ + "/to-fifo");
  std::filesystem::create_symlink("loop", dir_ + "/loop");
  EXPECT_EQ(Read(dir_ + "/fifo"), "error: it is a FIFO, not a regular file");
  EXPECT_EQ(Read(dir_ + "/to-fifo"), "error: it is a FIFO, not a regular file");
  EXPECT_EQ(Read(dir_), "error: it is a directory, not a regular file");
  EXPECT_EQ(Read("/dev/null"), "");
  EXPECT_EQ(Read("/dev/zero"), "error: it is a device, not a regular file");
  EXPECT_EQ(Read(dir_ + "/none"), "error: No such file or directory");
  EXPECT_THAT(Read(dir_ + "/loop"), HasSubstr("error: Too many levels"));
  EXPECT_THAT(Read(std::string("a\0b", 3)), HasSubstr("NUL"));
}

TEST_F(RegularFileTest, FileAbove1MiB_IsRefused_M11) {
  std::ofstream(dir_ + "/large") << std::string((1 << 20) + 1, 'x');
  EXPECT_EQ(Read(dir_ + "/large"), "error: it is larger than 1 MiB");
  std::ofstream(dir_ + "/fits") << std::string(1 << 20, 'x');
  EXPECT_EQ(Read(dir_ + "/fits").size(), std::size_t{1} << 20);
}

// ---- URLs and times

TEST(RedactedUrlTest, UserAndPassword_AreRedacted_M4) {
  const std::pair<const char*, const char*> cases[] = {
      {"https://host:1/x", "https://host:1/x"},
      {"https://me:pw@host:1/x", "https://--- REDACTED ---@host:1/x"},
      {"me:pw@host", "--- REDACTED ---@host"},
      {"http://me:p@w/x://y@host", "http://--- REDACTED ---@host"},
      {"me:pa://ss@host", "--- REDACTED ---@host"},
      {"://me:pw@host", "://--- REDACTED ---@host"},
      {"@", "--- REDACTED ---@"},
      {"", ""},
  };
  for (const auto& [url, want] : cases) EXPECT_EQ(RedactedUrl(url), want);
}

TEST(DeadlineTest, TheLongestDurationIsNever) {
  const SteadyTime now = SteadyTime(std::chrono::hours(1));
  EXPECT_EQ(After(now, Duration::max()), SteadyTime::max());
  EXPECT_EQ(After(now, Duration(1)), now + Duration(1));
  EXPECT_EQ(After(now, Duration(-1)), now - Duration(1));
}

}  // namespace
}  // namespace kinformer::internal::base
