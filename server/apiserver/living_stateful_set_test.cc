#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/client/wait_conditions.h"

#include "apiserver/living_server_for_test.h"

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string SetYaml(int replicas, const std::string& image, const std::string& more = {}) {
  return "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: db}\nspec:\n"
         "  serviceName: db\n  replicas: " +
         std::to_string(replicas) + "\n" + more +
         "  selector: {matchLabels: {app: db}}\n"
         "  template:\n    metadata: {labels: {app: db}}\n"
         "    spec: {containers: [{name: main, image: " +
         image + "}]}\n";
}

class StatefulSetTest : public ::testing::Test {
 protected:
  bool RolledOut() {
    const auto state = wait::RolloutStateOf(server_.Get(Kind::kStatefulSet, "db"));
    return state.ok() && state->done;
  }
  std::int64_t Ready() {
    return Number(server_.Get(Kind::kStatefulSet, "db"), "/status/readyReplicas");
  }
  std::string ImageOf(const std::string& pod) {
    return Text(server_.Get(Kind::kPod, pod), "/spec/containers/0/image");
  }
  LivingServer server_;
};

TEST_F(StatefulSetTest, Pods_StartOneAfterTheOther) {
  server_.Load(SetYaml(3, "a"));
  std::vector<std::string> order;
  ASSERT_TRUE(server_.Until([&] {
    for (const json::Value& pod : server_.Pods("db-")) {
      if (std::find(order.begin(), order.end(), NameOf(pod)) == order.end()) {
        EXPECT_EQ(static_cast<std::size_t>(Ready()), order.size());
        order.push_back(NameOf(pod));
      }
    }
    return RolledOut() && Ready() == 3;
  }));
  EXPECT_THAT(order, ElementsAre("db-0", "db-1", "db-2"));
  const json::Value pod = server_.Get(Kind::kPod, "db-1");
  EXPECT_EQ(Label(pod, "statefulset.kubernetes.io/pod-name"), "db-1");
  EXPECT_EQ(Label(pod, "apps.kubernetes.io/pod-index"), "1");
  EXPECT_EQ(Text(pod, "/spec/hostname"), "db-1");
  EXPECT_EQ(Text(pod, "/spec/subdomain"), "db");
  EXPECT_EQ(Label(pod, "controller-revision-hash"),
            Text(server_.Get(Kind::kStatefulSet, "db"), "/status/currentRevision"));
}

TEST_F(StatefulSetTest, Parallel_StartsAllAtOnce) {
  server_.Load(SetYaml(3, "a", "  podManagementPolicy: Parallel\n"));
  ASSERT_TRUE(server_.Until([&] { return Ready() > 0; }));
  EXPECT_THAT(server_.Pods("db-"), SizeIs(3));
}

TEST_F(StatefulSetTest, ScaledDown_LosesTheLastPodFirst) {
  server_.Load(SetYaml(3, "a"));
  ASSERT_TRUE(server_.Until([&] { return Ready() == 3; }));
  server_.Patch(Kind::kStatefulSet, "db", "spec: {replicas: 1}");
  std::vector<std::vector<std::string>> states;
  ASSERT_TRUE(server_.Until([&] {
    const auto names = server_.PodNames("db-");
    if (states.empty() || states.back() != names) states.push_back(names);
    return names.size() == 1;
  }));
  EXPECT_THAT(states, ElementsAre(ElementsAre("db-0", "db-1", "db-2"), ElementsAre("db-0", "db-1"),
                                  ElementsAre("db-0")));
}

TEST_F(StatefulSetTest, NewTemplate_ReplacesFromTheLastToThePartition) {
  server_.Load(SetYaml(3, "a"));
  ASSERT_TRUE(server_.Until([&] { return Ready() == 3; }));
  const std::string before = Text(server_.Get(Kind::kStatefulSet, "db"), "/status/updateRevision");
  server_.Load(SetYaml(3, "b", "  updateStrategy: {rollingUpdate: {partition: 2}}\n"));
  ASSERT_TRUE(server_.Until([&] { return ImageOf("db-2") == "b" && Ready() == 3; }));
  server_.RunFor(minutes(1));
  EXPECT_EQ(ImageOf("db-1"), "a");
  const json::Value set = server_.Get(Kind::kStatefulSet, "db");
  EXPECT_EQ(Text(set, "/status/currentRevision"), before);
  EXPECT_EQ(Number(set, "/status/updatedReplicas"), 1);
  // A pod below the partition comes back as it was.
  server_.Delete(Kind::kPod, "db-0");
  ASSERT_TRUE(server_.Until([&] { return Ready() < 3; }));
  ASSERT_TRUE(server_.Until([&] { return Ready() == 3; }));
  EXPECT_EQ(ImageOf("db-0"), "a");
  server_.Load(SetYaml(3, "b"));
  ASSERT_TRUE(server_.Until([&] { return ImageOf("db-0") == "b" && RolledOut(); }));
  EXPECT_EQ(ImageOf("db-1"), "b");
  EXPECT_EQ(Text(server_.Get(Kind::kStatefulSet, "db"), "/status/currentRevision"),
            Text(server_.Get(Kind::kStatefulSet, "db"), "/status/updateRevision"));
  EXPECT_THAT(server_.All(Kind::kRevision), SizeIs(2));
}

TEST_F(StatefulSetTest, ClaimTemplates_MakeClaimsThatAreBoundAndStay) {
  server_.Load(SetYaml(2, "a",
                       "  volumeClaimTemplates:\n  - metadata: {name: data}\n    spec:\n"
                       "      accessModes: [ReadWriteOnce]\n"
                       "      resources: {requests: {storage: 1Gi}}\n"));
  ASSERT_TRUE(server_.Until([&] { return Ready() == 2; }));
  const json::Value claim = server_.Get(Kind::kVolumeClaim, "data-db-1");
  EXPECT_EQ(Text(claim, "/status/phase"), "Bound");
  EXPECT_EQ(Text(claim, "/status/capacity/storage"), "1Gi");
  EXPECT_EQ(Label(claim, "app"), "db");
  EXPECT_THAT(server_.All(Kind::kVolume), SizeIs(2));
  server_.Delete(Kind::kStatefulSet, "db");
  ASSERT_TRUE(server_.Until([&] { return server_.Pods("db-").empty(); }));
  EXPECT_THAT(server_.All(Kind::kVolumeClaim), SizeIs(2));
  server_.Delete(Kind::kVolumeClaim, "data-db-0");
  server_.RunFor(seconds(1));
  EXPECT_THAT(server_.All(Kind::kVolume), SizeIs(1));
}

TEST_F(StatefulSetTest, ClaimOfAClassThatWaits_IsBoundForItsFirstPod) {
  server_.Load(
      "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: late}\n"
      "provisioner: p\nvolumeBindingMode: WaitForFirstConsumer\nreclaimPolicy: Retain\n---\n"
      "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c}\n"
      "spec: {storageClassName: late, accessModes: [ReadWriteOnce], "
      "resources: {requests: {storage: 1Gi}}}\n");
  server_.RunFor(minutes(1));
  EXPECT_EQ(Text(server_.Get(Kind::kVolumeClaim, "c"), "/status/phase"), "Pending");
  server_.Load(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: m, image: i}]\n"
      "  volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]\n");
  ASSERT_TRUE(server_.Until([&] { return IsTrue(server_.Get(Kind::kPod, "p"), "Ready"); }));
  EXPECT_EQ(Text(server_.Get(Kind::kVolumeClaim, "c"), "/status/phase"), "Bound");
  server_.Delete(Kind::kVolumeClaim, "c");
  server_.RunFor(seconds(1));
  ASSERT_THAT(server_.All(Kind::kVolume), SizeIs(1));
  EXPECT_EQ(Text(server_.All(Kind::kVolume)[0], "/status/phase"), "Released");
}

}  // namespace
}  // namespace kinformer::apiserver::workloads
