#include "kinformer/interop/absl_log.h"

#include <absl/base/log_severity.h>
#include <absl/log/globals.h>
#include <absl/log/log_entry.h>
#include <absl/log/log_sink.h>
#include <absl/log/log_sink_registry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace kinformer::interop {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Keeps the lines of Abseil's log for its scope.
class Lines final : public absl::LogSink {
 public:
  Lines() { absl::AddLogSink(this); }
  ~Lines() override { absl::RemoveLogSink(this); }
  void Send(const absl::LogEntry& entry) override {
    lines.emplace_back(entry.log_severity(), entry.text_message());
  }
  std::vector<std::pair<absl::LogSeverity, std::string>> lines;
};

TEST(AbslLogTest, EachLine_HasItsSeverityAndFields) {
  Lines kept;
  AbslLogSink sink;
  sink.Log(LogLevel::kInfo, "listed", {{"resource", "pods"}, {"err", "a b\n"}});
  sink.Log(LogLevel::kWarning, "slow", {});
  sink.Log(LogLevel::kError, "gone", {});
  EXPECT_THAT(kept.lines,
              ElementsAre(Pair(absl::LogSeverity::kInfo, "listed  resource=pods err=\"a b\\n\""),
                          Pair(absl::LogSeverity::kWarning, "slow"),
                          Pair(absl::LogSeverity::kError, "gone")));
}

TEST(AbslLogTest, Level_IsTheHigherOfTheTwo) {
  EXPECT_EQ(AbslLogSink().level(), LogLevel::kInfo);
  EXPECT_EQ(AbslLogSink(LogLevel::kDebug).level(), LogLevel::kDebug);
  absl::SetMinLogLevel(absl::LogSeverityAtLeast::kWarning);
  EXPECT_EQ(AbslLogSink().level(), LogLevel::kWarning);
  EXPECT_EQ(AbslLogSink(LogLevel::kError).level(), LogLevel::kError);
  absl::SetMinLogLevel(absl::LogSeverityAtLeast::kError);
  EXPECT_EQ(AbslLogSink().level(), LogLevel::kError);
  absl::SetMinLogLevel(absl::LogSeverityAtLeast::kInfinity);
  EXPECT_EQ(AbslLogSink().level(), LogLevel::kOff);
  absl::SetMinLogLevel(absl::LogSeverityAtLeast::kInfo);
}

}  // namespace
}  // namespace kinformer::interop
