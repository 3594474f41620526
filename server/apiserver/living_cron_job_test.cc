#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "apiserver/living_server_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string CronYaml(const std::string& schedule, const std::string& more = {},
                     const std::string& image = "ok") {
  return "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: tick}\nspec:\n  schedule: \"" +
         schedule + "\"\n" + more +
         "  jobTemplate:\n    spec:\n      template:\n        spec: {restartPolicy: Never, "
         "containers: [{name: main, image: " +
         image + "}]}\n";
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
