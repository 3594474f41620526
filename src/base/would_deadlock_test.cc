#include "base/would_deadlock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/simulation.h"

namespace kinformer::internal::base {
namespace {

using std::chrono::minutes;

class Lines final : public LogSink {
 public:
  explicit Lines(std::vector<std::string>& lines) : lines_(lines) {}
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel, std::string_view, std::initializer_list<LogField> fields) override {
    for (const LogField& field : fields) lines_.push_back(field.value);
  }

 private:
  std::vector<std::string>& lines_;
};

// An index function gets the error, and nobody else: the log has to say it.
TEST(WouldDeadlockTest, IsLogged_OnceAMinute) {
  std::vector<std::string> lines;
  SimulationOptions options;
  options.log = std::make_shared<Lines>(lines);
  Simulation sim(options);
  sim.RunFor(minutes(10));  // whatever others have said in this process
  for (int i = 0; i < 100; ++i) {
    const Error error = WouldDeadlock(sim.env(), "call " + std::to_string(i));
    EXPECT_EQ(error.reason(), Reason::kWouldDeadlock);
    EXPECT_EQ(error.message(), "call " + std::to_string(i));
  }
  EXPECT_THAT(lines, ::testing::ElementsAre("call 0"));
  sim.RunFor(minutes(1));
  static_cast<void>(WouldDeadlock(sim.env(), "later"));
  EXPECT_THAT(lines, ::testing::ElementsAre("call 0", "later"));
}

}  // namespace
}  // namespace kinformer::internal::base
