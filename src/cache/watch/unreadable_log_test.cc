#include "cache/watch/unreadable_log.h"

#include <chrono>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"

namespace kinformer::internal::cache {
namespace {

class CountingLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kError; }
  void Log(LogLevel, std::string_view, std::initializer_list<LogField> fields) override {
    ++lines;
    for (const LogField& field : fields) {
      if (field.key == "err") why = field.value;
      if (field.key == "times") times = field.value;
    }
  }
  int lines = 0;
  std::string why{};
  std::string times{};
};

TEST(UnreadableLog, EachObjectOnceUntilItIsReadable) {
  const auto log = std::make_shared<CountingLog>();
  Simulation sim({.log = log});
  UnreadableLog unreadable(sim.env(), "pods");
  const Error why(Reason::kDecode, "bad bytes");
  unreadable.Unreadable("list", "ns", "a", &why);
  EXPECT_NE(log->why.find("bad bytes"), std::string::npos) << log->why;
  unreadable.Unreadable("watch", "ns", "a", &why);
  EXPECT_EQ(log->lines, 1);
  unreadable.Unreadable("watch", "other", "a", nullptr);
  EXPECT_EQ(log->lines, 2);
  EXPECT_EQ(log->why, "not said");
  unreadable.Forget("ns", "a");
  unreadable.Unreadable("watch", "other", "a", nullptr);
  EXPECT_EQ(log->lines, 2);
  unreadable.Unreadable("watch", "ns", "a", nullptr);
  EXPECT_EQ(log->lines, 3);
}

TEST(UnreadableLog, TwentyInAMinuteAreNamedAndTheOthersCounted) {
  const auto log = std::make_shared<CountingLog>();
  Simulation sim({.log = log});
  UnreadableLog unreadable(sim.env(), "pods");
  const auto list = [&] {
    for (int i = 0; i < 200'000; ++i) {
      unreadable.Unreadable("list", "", std::to_string(i), nullptr);
    }
    unreadable.TellHowMany();
  };
  list();
  EXPECT_EQ(log->lines, 21);
  EXPECT_EQ(log->times, "199980");
  list();
  EXPECT_EQ(log->lines, 21) << "not with each list";
}

TEST(UnreadableLog, AThousandAreRemembered) {
  const auto log = std::make_shared<CountingLog>();
  Simulation sim({.log = log});
  UnreadableLog unreadable(sim.env(), "pods");
  const auto said = [&](int from, int to) {
    log->lines = 0;
    for (int i = from; i < to; ++i) {
      if (i % 20 == 0) sim.RunFor(std::chrono::minutes(1));
      unreadable.Unreadable("list", "", std::to_string(i), nullptr);
    }
    return log->lines;
  };
  EXPECT_EQ(said(0, 999), 999);
  EXPECT_EQ(said(0, 999), 0);
  EXPECT_EQ(said(999, 1000), 1);
  EXPECT_EQ(said(1000, 1001), 1) << "begins anew";
  EXPECT_EQ(said(1000, 1001), 0);
  EXPECT_EQ(said(0, 1), 1);
}

}  // namespace
}  // namespace kinformer::internal::cache
