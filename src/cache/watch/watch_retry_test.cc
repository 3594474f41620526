#include "cache/watch/watch_retry.h"

#include <chrono>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

class TimesLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel, std::string_view, std::initializer_list<LogField> fields) override {
    for (const LogField& field : fields) {
      if (field.key == "times") times.emplace_back(field.value);
    }
  }
  std::vector<std::string> times{};
};

TEST(ShortWatches, TheEleventhInARowIsOneTooMany) {
  ShortWatches watches;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(watches.TooManyInARow(milliseconds(999))) << i;
    EXPECT_TRUE(watches.TooManyInARow(milliseconds(999)));
    EXPECT_TRUE(watches.TooManyInARow(milliseconds(0)));
    EXPECT_FALSE(watches.TooManyInARow(seconds(1))) << "a second is long enough";
  }
}

TEST(ShortWatches, EmptyOnesAreLoggedOnceAMinuteWithTheirNumber) {
  const auto log = std::make_shared<TimesLog>();
  Simulation sim({.log = log});
  ShortWatches watches;
  for (int i = 0; i < 3; ++i) watches.LogEmpty(sim.env(), "pods");
  sim.RunFor(minutes(1) - nanoseconds(1));
  watches.LogEmpty(sim.env(), "pods");
  EXPECT_EQ(log->times, std::vector<std::string>{"1"});
  sim.RunFor(nanoseconds(1));
  watches.LogEmpty(sim.env(), "pods");
  watches.LogEmpty(sim.env(), "pods");
  EXPECT_EQ(log->times, (std::vector<std::string>{"1", "4"}));
  sim.RunFor(minutes(1));
  watches.LogEmpty(sim.env(), "pods");
  EXPECT_EQ(log->times, (std::vector<std::string>{"1", "4", "2"}));
}

TEST(InternalErrors, AreBorneForSoLongFromTheFirst) {
  const SteadyTime begun{};
  InternalErrors errors(seconds(100));
  EXPECT_TRUE(errors.MayResume(begun));
  EXPECT_TRUE(errors.MayResume(begun + seconds(50)));
  EXPECT_TRUE(errors.MayResume(begun + seconds(100)));
  EXPECT_FALSE(errors.MayResume(begun + seconds(101)));
  // Errors count from the beginning again.
  EXPECT_TRUE(errors.MayResume(begun + seconds(102)));
  EXPECT_TRUE(errors.MayResume(begun + seconds(160)));
  EXPECT_TRUE(errors.MayResume(begun + seconds(202)));
  EXPECT_FALSE(errors.MayResume(begun + seconds(203)));
}

TEST(InternalErrors, AMinuteWithoutOneEndsThem) {
  const SteadyTime begun{};
  InternalErrors errors(seconds(100));
  EXPECT_TRUE(errors.MayResume(begun));
  EXPECT_TRUE(errors.MayResume(begun + seconds(59)));
  // After a quiet minute errors count from here.
  EXPECT_TRUE(errors.MayResume(begun + seconds(119)));
  EXPECT_TRUE(errors.MayResume(begun + seconds(170)));
  EXPECT_TRUE(errors.MayResume(begun + seconds(219)));
  EXPECT_FALSE(errors.MayResume(begun + seconds(220)));
  InternalErrors none(Duration(0));
  EXPECT_FALSE(none.MayResume(begun));
  EXPECT_FALSE(none.MayResume(begun));
  InternalErrors shortest(Duration(1));
  EXPECT_TRUE(shortest.MayResume(begun));
}

}  // namespace
}  // namespace kinformer::internal::cache
