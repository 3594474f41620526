#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/registry/object_rules.h"
#include "apiserver/workloads/cron_schedule.h"
#include "apiserver/workloads/living_server_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

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
              ElementsAre("1970-01-04T12:05:00Z", "1970-01-05T12:05:00Z",
                          "1970-01-06T12:05:00Z"));
  // With both kinds of days, either counts.
  EXPECT_THAT(TimesOf("0 0 13 * 5", 3), ElementsAre("1970-01-02T00:00:00Z",
                                                    "1970-01-09T00:00:00Z",
                                                    "1970-01-13T00:00:00Z"));
  EXPECT_THAT(TimesOf("10-30/10 * * * *", 3),
              ElementsAre("1970-01-01T00:10:00Z", "1970-01-01T00:20:00Z",
                          "1970-01-01T00:30:00Z"));
  EXPECT_THAT(TimesOf("@hourly", 1), ElementsAre("1970-01-01T01:00:00Z"));
  EXPECT_THAT(TimesOf("@weekly", 1), ElementsAre("1970-01-04T00:00:00Z"));
  EXPECT_THAT(TimesOf("0 0 31 2 *", 1), ElementsAre("never"));
}

TEST(CronSchedule, Mistakes_NameTheField) {
  EXPECT_THAT(TimesOf("* * * *", 1)[0], HasSubstr("must have five fields"));
  EXPECT_THAT(TimesOf("60 * * * *", 1)[0], HasSubstr("wrong minute, \"60\": it must be from 0 to "));
  EXPECT_THAT(TimesOf("* * * foo *", 1)[0], HasSubstr("wrong month, \"foo\""));
  EXPECT_THAT(TimesOf("*/0 * * * *", 1)[0], HasSubstr("wrong minute"));
  EXPECT_THAT(TimesOf("* 5-3 * * *", 1)[0], HasSubstr("wrong hour"));
}

std::string CronYaml(const std::string& schedule, const std::string& more = {},
                     const std::string& image = "ok") {
  return "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: tick}\nspec:\n  schedule: \"" +
         schedule + "\"\n" + more +
         "  jobTemplate:\n    spec:\n      template:\n        spec: {restartPolicy: Never, "
         "containers: [{name: main, image: " + image + "}]}\n";
}

class CronJobTest : public ::testing::Test {
 protected:
  json::Value Cron() { return server_.Get(Kind::kCronJob, "tick"); }
  LivingServer server_{R"(
pods:
- {match: {image: bad}, exitCode: 1}
- {match: {image: long}, runsFor: 90m}
)"};
};

TEST_F(CronJobTest, Schedule_FiresThroughTheHoursAndKeepsThreeJobs) {
  server_.Load(CronYaml("0 * * * *"));
  server_.RunFor(hours(5) + minutes(30));  // from 22:13:20 on
  const auto jobs = server_.All(Kind::kJob);
  ASSERT_THAT(jobs, SizeIs(3));
  EXPECT_EQ(NameOf(jobs[0]), "tick-28333500");
  EXPECT_EQ(Annotation(jobs[0], "batch.kubernetes.io/cronjob-scheduled-timestamp"),
            "2023-11-15T01:00:00Z");
  EXPECT_TRUE(IsTrue(jobs[2], "Complete"));
  EXPECT_EQ(Text(Cron(), "/status/lastScheduleTime"), "2023-11-15T03:00:00Z");
  EXPECT_THAT(Text(Cron(), "/status/lastSuccessfulTime"), HasSubstr("2023-11-15T03:00:"));
  EXPECT_EQ(Cron()["status"]["active"].size(), 0U);
}

TEST_F(CronJobTest, Suspended_DoesNotFire) {
  server_.Load(CronYaml("* * * * *", "  suspend: true\n"));
  server_.RunFor(minutes(10));
  EXPECT_THAT(server_.All(Kind::kJob), IsEmpty());
  server_.Patch(Kind::kCronJob, "tick", "spec: {suspend: false}");
  server_.RunFor(seconds(30));
  EXPECT_THAT(server_.All(Kind::kJob), SizeIs(1));
}

TEST_F(CronJobTest, Forbid_SkipsWhileAJobRuns) {
  server_.Load(CronYaml("0 * * * *", "  concurrencyPolicy: Forbid\n", "long"));
  server_.RunFor(hours(2) + minutes(5));
  ASSERT_THAT(server_.All(Kind::kJob), SizeIs(1));
  EXPECT_EQ(Text(Cron(), "/status/active/0/name"), "tick-28333380");
}

TEST_F(CronJobTest, Replace_EndsTheEarlierJob) {
  server_.Load(CronYaml("0 * * * *", "  concurrencyPolicy: Replace\n", "long"));
  server_.RunFor(hours(2) + minutes(5));
  ASSERT_THAT(server_.All(Kind::kJob), SizeIs(1));
  EXPECT_EQ(NameOf(server_.All(Kind::kJob)[0]), "tick-28333440");
}

TEST_F(CronJobTest, Allow_RunsSeveralAtOnce) {
  server_.Load(CronYaml("0 * * * *", "", "long"));
  server_.RunFor(hours(2) + minutes(5));
  EXPECT_THAT(server_.All(Kind::kJob), SizeIs(2));
  EXPECT_EQ(Cron()["status"]["active"].size(), 2U);
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
