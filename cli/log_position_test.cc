#include "cli/log_position.h"

#include <gtest/gtest.h>
#include <string>

namespace kinformer::cli {
namespace {

const std::string kSecond = "2024-01-01T00:00:01";

bool Take(LogPosition& position, const std::string& line) { return position.Take(SplitTime(line)); }

TEST(LogPosition, ALineIsSplitBehindItsTime) {
  const TimedLine line = SplitTime("2024-01-01T00:00:01.5Z hello world");
  EXPECT_EQ(line.time, "2024-01-01T00:00:01.5Z");
  EXPECT_EQ(line.text, "hello world");
  EXPECT_EQ(SplitTime("2024-01-01T00:00:01.5+02:00 a").text, "a");
  EXPECT_EQ(SplitTime("2024-01-01T00:00:01.5Z").text, "");
  EXPECT_EQ(SplitTime("2024-01-01T00:00:01.5Z ").text, "");
  EXPECT_EQ(SplitTime("no time here at all, but words").text, "no time here at all, but words");
  EXPECT_EQ(SplitTime("").text, "");
}

TEST(LogPosition, LinesOfTheNewestSecondAreDroppedWhenTheyComeAgain) {
  LogPosition position;
  EXPECT_FALSE(position.SinceTime().has_value());
  EXPECT_TRUE(Take(position, "2024-01-01T00:00:00.9Z before"));
  EXPECT_TRUE(Take(position, kSecond + ".1Z a"));
  EXPECT_TRUE(Take(position, kSecond + ".2Z b"));
  ASSERT_TRUE(position.SinceTime().has_value());
  EXPECT_EQ(position.SinceTime()->ToString(), kSecond + "Z");
  position.Resume();
  EXPECT_FALSE(Take(position, kSecond + ".1Z a"));
  EXPECT_FALSE(Take(position, kSecond + ".2Z b"));
  EXPECT_TRUE(Take(position, kSecond + ".2Z c"));
  EXPECT_TRUE(Take(position, "2024-01-01T00:00:02Z d"));
}

TEST(LogPosition, EqualLinesAreCounted) {
  LogPosition position;
  EXPECT_TRUE(Take(position, kSecond + ".1Z a"));
  EXPECT_TRUE(Take(position, kSecond + ".1Z a"));
  position.Resume();
  EXPECT_FALSE(Take(position, kSecond + ".1Z a"));
  EXPECT_FALSE(Take(position, kSecond + ".1Z a"));
  EXPECT_TRUE(Take(position, kSecond + ".1Z a")) << "a third one is new";
}

TEST(LogPosition, ASecondCutDropsWhatCameAfterTheFirst) {
  LogPosition position;
  EXPECT_TRUE(Take(position, kSecond + ".1Z a"));
  position.Resume();
  EXPECT_FALSE(Take(position, kSecond + ".1Z a"));
  EXPECT_TRUE(Take(position, kSecond + ".2Z b"));
  position.Resume();
  EXPECT_FALSE(Take(position, kSecond + ".1Z a"));
  EXPECT_FALSE(Take(position, kSecond + ".2Z b"));
}

TEST(LogPosition, AnOlderLineIsPassedOnAndDoesNotMoveThePosition) {
  LogPosition position;
  EXPECT_TRUE(Take(position, kSecond + ".1Z a"));
  EXPECT_TRUE(Take(position, "2024-01-01T00:00:00.9Z late"));
  EXPECT_EQ(position.SinceTime()->ToString(), kSecond + "Z");
}

}  // namespace
}  // namespace kinformer::cli
