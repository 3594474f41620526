#include "client/retry_after.h"

#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/log.h"
#include "kinformer/simulation.h"

namespace kinformer::internal::client {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

// Keeps the fields of each line.
class FieldsLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel, std::string_view, std::initializer_list<LogField> fields) override {
    std::string& line = lines.emplace_back();
    for (const LogField& field : fields) {
      line += std::string(field.key) + "=" + std::string(field.value) + ";";
    }
  }
  std::vector<std::string> lines{};
};

TEST(PauseAfter, IsWhatTheServerAsksForUpToTwoMinutes) {
  const auto log = std::make_shared<FieldsLog>();
  Simulation sim({.log = log});
  const auto pause = [&](std::int64_t asked) {
    return PauseAfter(sim.env(),
                      Error(Reason::kTooManyRequests, "no").WithRetryAfter(seconds(asked)), "me");
  };
  EXPECT_EQ(PauseAfter(sim.env(), Error(Reason::kTooManyRequests, "no"), "me"), Duration(0));
  EXPECT_EQ(pause(-1), Duration(0));
  EXPECT_EQ(pause(0), Duration(0));
  EXPECT_EQ(pause(1), seconds(1));
  EXPECT_EQ(pause(119), seconds(119));
  EXPECT_EQ(pause(120), seconds(120));
  EXPECT_THAT(log->lines, ElementsAre());
  EXPECT_EQ(pause(121), seconds(120));
  EXPECT_THAT(log->lines, ElementsAre("who=me;asked_seconds=121;seconds=120;"));
}

}  // namespace
}  // namespace kinformer::internal::client
