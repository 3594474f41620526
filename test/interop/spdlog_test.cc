#include "kinformer/interop/spdlog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sstream>
#include <string>

#include "kinformer/base/runtime.h"

namespace kinformer::interop {
namespace {

using ::testing::HasSubstr;

class SpdlogTest : public ::testing::Test {
 protected:
  SpdlogTest() {
    logger_->set_pattern("%l %v");
    logger_->set_level(spdlog::level::trace);
  }

  std::ostringstream out_;
  const std::shared_ptr<spdlog::logger> logger_ = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(out_));
};

TEST_F(SpdlogTest, EachLine_HasItsLevelAndFields) {
  SpdlogSink sink(logger_);
  sink.Log(LogLevel::kDebug, "sent", {});
  sink.Log(LogLevel::kInfo, "listed {}", {{"resource", "pods"}, {"err", "a {} \"b\"\n"}});
  sink.Log(LogLevel::kWarning, "slow", {});
  sink.Log(LogLevel::kError, "gone", {});
  EXPECT_EQ(out_.str(),
            "debug sent\n"
            "info listed {}  resource=pods err=\"a {} \\\"b\\\"\\n\"\n"
            "warning slow\n"
            "error gone\n");
}

TEST_F(SpdlogTest, Level_IsThatOfTheLoggerAtThatMoment) {
  const SpdlogSink sink(logger_);
  EXPECT_EQ(sink.level(), LogLevel::kDebug);
  logger_->set_level(spdlog::level::info);
  EXPECT_EQ(sink.level(), LogLevel::kInfo);
  logger_->set_level(spdlog::level::warn);
  EXPECT_EQ(sink.level(), LogLevel::kWarning);
  logger_->set_level(spdlog::level::err);
  EXPECT_EQ(sink.level(), LogLevel::kError);
  logger_->set_level(spdlog::level::critical);
  EXPECT_EQ(sink.level(), LogLevel::kOff);
  logger_->set_level(spdlog::level::off);
  EXPECT_EQ(sink.level(), LogLevel::kOff);
}

TEST_F(SpdlogTest, Runtime_WritesThere) {
  {
    Runtime runtime({.log = std::make_shared<SpdlogSink>(logger_)});
    runtime.env().log().Log(LogLevel::kWarning, "of the runtime", {});
  }
  EXPECT_THAT(out_.str(), HasSubstr("warning of the runtime\n"));
}

}  // namespace
}  // namespace kinformer::interop
