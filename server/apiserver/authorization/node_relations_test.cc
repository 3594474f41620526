#include "apiserver/authorization/node_relations.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "kinformer/json/yaml.h"

namespace kinformer::apiserver {
namespace {

json::Value Yaml(const std::string& text) { return yaml::Parse(text).OrExit(); }

json::Value PodOn(const std::string& node, const std::string& rest) {
  return Yaml("metadata: {name: p, namespace: a}\nspec: {nodeName: " + node + ", " + rest + "}");
}

class NodeRelationsTest : public ::testing::Test {
 protected:
  [[nodiscard]] bool Has(NodeNeed need, std::string_view name, std::string_view node = "n1",
                         std::string_view namespace_ = "a") const {
    return relations_.Relates(node, need, namespace_, name);
  }

  NodeRelations relations_;
};

TEST_F(NodeRelationsTest, Pod_RelatesWhatItRefersTo) {
  relations_.Put("pods", PodOn("n1",
                               "serviceAccountName: sa, imagePullSecrets: [{name: pull}, {}], "
                               "ephemeralContainers: [{env: [{valueFrom: {configMapKeyRef: {name: "
                               "m}}}]}], resourceClaims: [{name: r, resourceClaimName: rc}]"));
  EXPECT_TRUE(Has(NodeNeed::kPod, "p"));
  EXPECT_TRUE(Has(NodeNeed::kServiceAccount, "sa"));
  EXPECT_TRUE(Has(NodeNeed::kSecret, "pull"));
  EXPECT_TRUE(Has(NodeNeed::kConfigMap, "m"));
  EXPECT_TRUE(Has(NodeNeed::kResourceClaim, "rc"));
  EXPECT_FALSE(Has(NodeNeed::kSecret, ""));
  EXPECT_FALSE(Has(NodeNeed::kSecret, "m"));
  EXPECT_FALSE(Has(NodeNeed::kSecret, "pull", "other"));
  EXPECT_FALSE(Has(NodeNeed::kSecret, "pull", "n1", "b"));
  EXPECT_FALSE(Has(NodeNeed::kPod, "p", "other"));
}

TEST_F(NodeRelationsTest, Pod_ThatMovesOrGoes_RelatesNoMore) {
  relations_.Put("pods", PodOn("n1", "serviceAccountName: sa"));
  relations_.Put("pods", PodOn("m1", "serviceAccountName: other"));
  EXPECT_FALSE(Has(NodeNeed::kServiceAccount, "sa"));
  EXPECT_TRUE(Has(NodeNeed::kServiceAccount, "other", "m1"));
  relations_.Remove("pods", "a", "p");
  EXPECT_FALSE(Has(NodeNeed::kServiceAccount, "other", "m1"));
  EXPECT_FALSE(Has(NodeNeed::kPod, "p", "m1"));
  relations_.Put("pods", PodOn("n1", "serviceAccountName: sa"));
  relations_.Clear();
  EXPECT_FALSE(Has(NodeNeed::kServiceAccount, "sa"));
}

TEST_F(NodeRelationsTest, MirrorPod_RelatesOnlyItself) {
  json::Value pod = PodOn("n1", "imagePullSecrets: [{name: pull}]");
  pod.Ensure("metadata", "annotations").Set("kubernetes.io/config.mirror", "x");
  relations_.Put("pods", pod);
  EXPECT_TRUE(Has(NodeNeed::kPod, "p"));
  EXPECT_FALSE(Has(NodeNeed::kSecret, "pull"));
}

TEST_F(NodeRelationsTest, PodWithoutANode_RelatesNothing) {
  relations_.Put("pods", PodOn("''", "imagePullSecrets: [{name: pull}]"));
  EXPECT_FALSE(Has(NodeNeed::kSecret, "pull", ""));
}

TEST_F(NodeRelationsTest, ClaimOfATemplate_CountsOnceItIsMade) {
  json::Value pod = PodOn("n1", "resourceClaims: [{name: r, resourceClaimTemplateName: t}]");
  relations_.Put("pods", pod);
  EXPECT_FALSE(Has(NodeNeed::kResourceClaim, "p-r-x"));
  pod.Set("status", Yaml("resourceClaimStatuses: [{name: q, resourceClaimName: other}, "
                         "{name: r, resourceClaimName: p-r-x}]\n"
                         "extendedResourceClaimStatus: {resourceClaimName: extended}"));
  relations_.Put("pods", pod);
  EXPECT_TRUE(Has(NodeNeed::kResourceClaim, "p-r-x"));
  EXPECT_TRUE(Has(NodeNeed::kResourceClaim, "extended"));
  EXPECT_FALSE(Has(NodeNeed::kResourceClaim, "other"));
}

TEST_F(NodeRelationsTest, Volume_IsRelatedByItsClaim_AndItsSecretsAre) {
  relations_.Put("pods", PodOn("n1",
                               "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}, "
                               "{name: e, ephemeral: {}}]"));
  EXPECT_TRUE(Has(NodeNeed::kVolumeClaim, "c"));
  EXPECT_TRUE(Has(NodeNeed::kVolumeClaim, "p-e"));
  json::Value volume = Yaml(
      "metadata: {name: pv}\nspec: {claimRef: {namespace: a, name: c}, cephfs: {secretRef: "
      "{name: own}}, csi: {nodePublishSecretRef: {namespace: b, name: far}, "
      "controllerPublishSecretRef: {namespace: a, name: controller}}}");
  EXPECT_FALSE(Has(NodeNeed::kVolume, "pv", "n1", ""));
  relations_.Put("persistentvolumes", volume);
  EXPECT_TRUE(Has(NodeNeed::kVolume, "pv", "n1", ""));
  EXPECT_FALSE(Has(NodeNeed::kVolume, "pv", "m1", ""));
  EXPECT_TRUE(Has(NodeNeed::kSecret, "own"));
  EXPECT_TRUE(Has(NodeNeed::kSecret, "far", "n1", "b"));
  EXPECT_FALSE(Has(NodeNeed::kSecret, "controller"));
  volume.Ensure("spec", "claimRef").Set("name", "d");
  relations_.Put("persistentvolumes", volume);
  EXPECT_FALSE(Has(NodeNeed::kVolume, "pv", "n1", ""));
  EXPECT_FALSE(Has(NodeNeed::kSecret, "own"));
  volume.Ensure("spec", "claimRef").Set("name", "c");
  relations_.Put("persistentvolumes", volume);
  relations_.Remove("persistentvolumes", "", "pv");
  EXPECT_FALSE(Has(NodeNeed::kSecret, "own"));
}

TEST_F(NodeRelationsTest, ObjectsAboutANode_AreItsOwn) {
  const json::Value attachment = Yaml("metadata: {name: x}\nspec: {nodeName: n1}");
  relations_.Put("volumeattachments", attachment);
  EXPECT_TRUE(Has(NodeNeed::kVolumeAttachment, "x", "n1", ""));
  EXPECT_FALSE(Has(NodeNeed::kVolumeAttachment, "x", "m1", ""));
  EXPECT_FALSE(Has(NodeNeed::kResourceSlice, "x", "n1", ""));
  relations_.Put("resourceslices", attachment);
  EXPECT_TRUE(Has(NodeNeed::kResourceSlice, "x", "n1", ""));
  relations_.Put("resourceslices", Yaml("metadata: {name: x}\nspec: {allNodes: true}"));
  EXPECT_FALSE(Has(NodeNeed::kResourceSlice, "x", "n1", ""));
  relations_.Remove("volumeattachments", "", "x");
  EXPECT_FALSE(Has(NodeNeed::kVolumeAttachment, "x", "n1", ""));
}

TEST_F(NodeRelationsTest, Reads_OnlyWhatRelates) {
  EXPECT_TRUE(NodeRelations::Reads("", "pods"));
  EXPECT_TRUE(NodeRelations::Reads("storage.k8s.io", "volumeattachments"));
  EXPECT_FALSE(NodeRelations::Reads("metrics.k8s.io", "pods"));
  EXPECT_FALSE(NodeRelations::Reads("", "secrets"));
}

}  // namespace
}  // namespace kinformer::apiserver
