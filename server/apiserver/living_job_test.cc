#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "apiserver/living_server_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string JobYaml(const std::string& spec, const std::string& image = "ok",
                    const std::string& policy = "Never") {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: task}\nspec:\n" + spec +
         "  template:\n    spec: {restartPolicy: " + policy +
         ", containers: [{name: main, image: " + image + "}]}\n";
}

class JobTest : public ::testing::Test {
 protected:
  bool Has(const char* condition) { return IsTrue(Job(), condition); }
  json::Value Job() { return server_.Get(Kind::kJob, "task"); }
  std::string Reason(const char* condition) {
    return ConditionOf(Job(), condition)["reason"].StringOrEmpty();
  }
  LivingServer server_{R"(
pods:
- {match: {image: bad}, exitCode: 1, startDelay: 1s, runsFor: 1s}
- {match: {image: long}, runsFor: 1h}
)"};
};

TEST_F(JobTest, Completions_RunInParallel) {
  server_.Load(JobYaml("  completions: 5\n  parallelism: 2\n"));
  std::size_t most = 0;
  ASSERT_TRUE(server_.Until([&] {
    std::size_t active = 0;
    for (const json::Value& pod : server_.Pods("task-")) {
      active += Text(pod, "/status/phase") != "Succeeded" ? 1 : 0;
    }
    most = std::max(most, active);
    return Has("Complete");
  }));
  EXPECT_EQ(most, 2U);
  const json::Value job = Job();
  EXPECT_EQ(Number(job, "/status/succeeded"), 5);
  EXPECT_TRUE(job.At("/status/active").is_null());
  EXPECT_FALSE(Text(job, "/status/completionTime").empty());
  EXPECT_TRUE(Has("SuccessCriteriaMet"));
  for (const json::Value& pod : server_.Pods("task-")) {
    EXPECT_EQ(pod["metadata"]["finalizers"].size(), 0U);
    EXPECT_EQ(Label(pod, "batch.kubernetes.io/job-name"), "task");
    EXPECT_EQ(Label(pod, "job-name"), "task");
  }
}

TEST_F(JobTest, FailingPods_EndTheJobByItsBackoffLimit) {
  server_.Load(JobYaml("  backoffLimit: 2\n", "bad"));
  ASSERT_TRUE(server_.Until([&] { return Has("Failed"); }));
  EXPECT_EQ(Reason("Failed"), "BackoffLimitExceeded");
  EXPECT_EQ(Number(Job(), "/status/failed"), 3);
  EXPECT_THAT(server_.Pods("task-"), SizeIs(3));
  // Delays of 10 and 20 seconds, and three runs of two.
  EXPECT_GE(server_.Now(), seconds(35));
  EXPECT_LE(server_.Now(), seconds(40));
}

TEST_F(JobTest, RestartedContainers_CountAsFailures) {
  server_.Load(JobYaml("  backoffLimit: 1\n", "bad", "OnFailure"));
  ASSERT_TRUE(server_.Until([&] { return Has("Failed"); }));
  EXPECT_EQ(Reason("Failed"), "BackoffLimitExceeded");
  EXPECT_THAT(server_.Pods("task-"), IsEmpty());
}

TEST_F(JobTest, Deadline_EndsTheJob) {
  server_.Load(JobYaml("  activeDeadlineSeconds: 30\n", "long"));
  ASSERT_TRUE(server_.Until([&] { return Has("Failed"); }));
  EXPECT_EQ(Reason("Failed"), "DeadlineExceeded");
  EXPECT_GE(server_.Now(), seconds(30));
  EXPECT_LE(server_.Now(), seconds(33));
}

TEST_F(JobTest, FinishedJob_IsDeletedAfterItsTime) {
  server_.Load(JobYaml("  ttlSecondsAfterFinished: 60\n"));
  ASSERT_TRUE(server_.Until([&] { return Has("Complete"); }));
  server_.RunFor(seconds(50));
  EXPECT_FALSE(Job().is_null());
  ASSERT_TRUE(server_.Until([&] { return Job().is_null(); }, seconds(15)));
  EXPECT_THAT(server_.Pods("task-"), IsEmpty());
}

TEST_F(JobTest, Indexed_RunsEachIndexOnce) {
  server_.Load(JobYaml("  completions: 3\n  parallelism: 3\n  completionMode: Indexed\n"));
  ASSERT_TRUE(server_.Until([&] { return !server_.Pods("task-").empty(); }));
  std::set<std::string> indexes;
  for (const json::Value& pod : server_.Pods("task-")) {
    const std::string index = Annotation(pod, "batch.kubernetes.io/job-completion-index");
    EXPECT_THAT(NameOf(pod), StartsWith("task-" + index + "-"));
    EXPECT_EQ(Text(pod, "/spec/hostname"), "task-" + index);
    EXPECT_EQ(Text(pod, "/spec/containers/0/env/0/value"), index);
    indexes.insert(index);
  }
  EXPECT_THAT(indexes, ElementsAre("0", "1", "2"));
  ASSERT_TRUE(server_.Until([&] { return Has("Complete"); }));
  EXPECT_EQ(Text(Job(), "/status/completedIndexes"), "0-2");
}

TEST_F(JobTest, Suspended_HasNoPodsUntilItIsResumed) {
  server_.Load(JobYaml("  suspend: true\n"));
  server_.RunFor(minutes(1));
  EXPECT_TRUE(Has("Suspended"));
  EXPECT_THAT(server_.Pods("task-"), IsEmpty());
  server_.Patch(Kind::kJob, "task", "spec: {suspend: false}");
  ASSERT_TRUE(server_.Until([&] { return Has("Complete"); }));
  EXPECT_FALSE(Has("Suspended"));
  EXPECT_EQ(Number(Job(), "/status/failed"), 0);
}

TEST_F(JobTest, SuspendedWhileItRuns_CountsNoFailures) {
  server_.Load(JobYaml("  backoffLimit: 0\n", "long"));
  server_.RunFor(seconds(10));
  server_.Patch(Kind::kJob, "task", "spec: {suspend: true}");
  server_.RunFor(minutes(1));
  EXPECT_THAT(server_.Pods("task-"), IsEmpty());
  EXPECT_FALSE(Has("Failed"));
}

TEST_F(JobTest, DeletedPod_IsReplaced) {
  server_.Load(JobYaml("  completions: 1\n"));
  ASSERT_TRUE(server_.Until([&] { return !server_.Pods("task-").empty(); }));
  server_.Delete(Kind::kPod, server_.PodNames("task-")[0]);
  ASSERT_TRUE(server_.Until([&] { return Has("Complete"); }));
  EXPECT_EQ(Number(Job(), "/status/failed"), 1);
}

TEST_F(JobTest, DeletedJob_LetsGoOfItsPods) {
  server_.Load(JobYaml("", "long"));
  ASSERT_TRUE(server_.Until([&] { return !server_.Pods("task-").empty(); }));
  const std::string path = "/apis/batch/v1/namespaces/default/jobs/task";
  ASSERT_EQ(server_.server().Do("DELETE", path + "?propagationPolicy=Background").status, 200);
  ASSERT_TRUE(server_.Until([&] { return server_.Pods("task-").empty(); }, minutes(1)));
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
