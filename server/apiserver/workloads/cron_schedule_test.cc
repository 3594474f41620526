#include "apiserver/workloads/cron_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/registry/object_rules.h"

namespace kinformer::apiserver::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> TimesOf(std::string_view schedule, int count) {
  const auto parsed = CronSchedule::Parse(schedule);
  if (!parsed) return {parsed.error().message()};
  std::vector<std::string> out;
  std::optional<WallTime> time = WallTime();  // a Thursday
  for (int i = 0; i < count && time; ++i) {
    time = parsed->Next(*time);
    out.push_back(time ? FormatTime(*time) : "never");
  }
  return out;
}

TEST(CronSchedule, Fields_SelectTimes) {
  EXPECT_THAT(TimesOf("*/20 3 * * *", 4),
              ElementsAre("1970-01-01T03:00:00Z", "1970-01-01T03:20:00Z", "1970-01-01T03:40:00Z",
                          "1970-01-02T03:00:00Z"));
  EXPECT_THAT(TimesOf("0 0 29 feb *", 2),
              ElementsAre("1972-02-29T00:00:00Z", "1976-02-29T00:00:00Z"));
  EXPECT_THAT(TimesOf("5 12 * * MON-tue,7", 3),
              ElementsAre("1970-01-04T12:05:00Z", "1970-01-05T12:05:00Z", "1970-01-06T12:05:00Z"));
  // With both kinds of days, either counts.
  EXPECT_THAT(TimesOf("0 0 13 * 5", 3),
              ElementsAre("1970-01-02T00:00:00Z", "1970-01-09T00:00:00Z", "1970-01-13T00:00:00Z"));
  EXPECT_THAT(TimesOf("10-30/10 * * * *", 3),
              ElementsAre("1970-01-01T00:10:00Z", "1970-01-01T00:20:00Z", "1970-01-01T00:30:00Z"));
  EXPECT_THAT(TimesOf("@hourly", 1), ElementsAre("1970-01-01T01:00:00Z"));
  EXPECT_THAT(TimesOf("@weekly", 1), ElementsAre("1970-01-04T00:00:00Z"));
  EXPECT_THAT(TimesOf("0 0 31 2 *", 1), ElementsAre("never"));
}

TEST(CronSchedule, Mistakes_NameTheField) {
  EXPECT_THAT(TimesOf("* * * *", 1)[0], HasSubstr("must have five fields"));
  EXPECT_THAT(TimesOf("60 * * * *", 1)[0],
              HasSubstr("wrong minute, \"60\": it must be from 0 to "));
  EXPECT_THAT(TimesOf("* * * foo *", 1)[0], HasSubstr("wrong month, \"foo\""));
  EXPECT_THAT(TimesOf("*/0 * * * *", 1)[0], HasSubstr("wrong minute"));
  EXPECT_THAT(TimesOf("* 5-3 * * *", 1)[0], HasSubstr("wrong hour"));
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
