// Apply and prune of manifests, with the real kube-apiserver, which tracks who owns which field.
// Label `realserver`.

#include "kinformer/client/manifests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/client/apply_manifests.h"
#include "kinformer/client/client.h"
#include "kinformer/client/delete_manifests.h"
#include "kinformer/client/diff_manifests.h"

#include "realserver/clients.h"
#include "realserver/real_server.h"

namespace kinformer::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string Map(const std::string& name, const std::string& value) {
  return "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name +
         ", labels: {app: shop}}, data: {key: " + value + "}}\n";
}

class RealManifests : public ::testing::Test {
 protected:
  void SetUp() override {
    real_.Start();
    client_.emplace(NewClient(real_));
  }

  // Returns "name outcome" of each object.
  std::vector<std::string> Apply(const std::string& text,
                                 const ApplyManifestsOptions& options = {}) {
    report_ = ApplyManifests(*client_, ParseManifests(text).manifests, options);
    for (const Error& error : report_.errors) ADD_FAILURE() << error;
    std::vector<std::string> out;
    for (const ApplyResult& result : report_.results) {
      const ApplyOutcome outcome = result.outcome;
      out.push_back(result.name + (outcome == ApplyOutcome::kCreated      ? " created"
                                   : outcome == ApplyOutcome::kConfigured ? " configured"
                                   : outcome == ApplyOutcome::kUnchanged  ? " unchanged"
                                   : outcome == ApplyOutcome::kPruned     ? " pruned"
                                                                          : " failed"));
    }
    return out;
  }

  RealServer real_;
  std::optional<Client> client_;
  ApplyReport report_;
};

TEST_F(RealManifests, OutcomesConflictsAndDryRunsAreTold) {
  EXPECT_THAT(Apply(Map("a", "one"), {.dry_run = true}), ElementsAre("a created"));
  EXPECT_THAT(Apply(Map("a", "one")), ElementsAre("a created"));
  EXPECT_THAT(Apply(Map("a", "one")), ElementsAre("a unchanged"));
  EXPECT_THAT(Apply(Map("a", "one"), {.dry_run = true}), ElementsAre("a unchanged"));
  EXPECT_THAT(Apply(Map("a", "two"), {.dry_run = true}), ElementsAre("a configured"));
  EXPECT_THAT(Apply(Map("a", "two"), {.fieldManager = "other"}), ElementsAre("a failed"));
  ASSERT_THAT(report_.results[0].conflicts, SizeIs(1));
  EXPECT_EQ(report_.results[0].conflicts[0].manager, "kinformer");
  EXPECT_THAT(report_.results[0].conflicts[0].fields, ElementsAre(".data.key"));
  EXPECT_THAT(Apply(Map("a", "two"), {.fieldManager = "other", .force_conflicts = true}),
              ElementsAre("a configured"));
}

TEST_F(RealManifests, APruneByLabelTakesTheObjectsOfItsManager) {
  Apply(Map("a", "one") + Map("b", "one"));
  Apply(Map("c", "one"), {.fieldManager = "other"});
  EXPECT_THAT(Apply(Map("a", "one"), {.prune = PruneByLabel{"app=shop", {}}}),
              ElementsAre("a unchanged", "b pruned"));
}

TEST_F(RealManifests, AnApplySetPrunesItsMembers) {
  const ApplySet set{.name = "set", .namespace_ = "default"};
  EXPECT_THAT(Apply(Map("a", "one") + Map("b", "one"), {.apply_set = set}),
              ElementsAre("a created", "b created"));
  EXPECT_THAT(Apply(Map("a", "one"), {.apply_set = set}), ElementsAre("a unchanged", "b pruned"));
}

TEST_F(RealManifests, ADefinitionIsWaitedForAndADiffAndADeleteKnowItsObjects) {
  const std::string lamps =
      "{apiVersion: example.com/v1, kind: Lamp, metadata: {name: red}, spec: {watts: 5}}\n"
      "---\n"
      "apiVersion: apiextensions.k8s.io/v1\n"
      "kind: CustomResourceDefinition\n"
      "metadata: {name: lamps.example.com}\n"
      "spec:\n"
      "  group: example.com\n"
      "  scope: Namespaced\n"
      "  names: {plural: lamps, singular: lamp, kind: Lamp, listKind: LampList}\n"
      "  versions:\n"
      "  - name: v1\n"
      "    served: true\n"
      "    storage: true\n"
      "    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}\n";
  EXPECT_THAT(Apply(lamps, {.order = ManifestOrder::kInstall}),
              ElementsAre("lamps.example.com created", "red created"));
  std::string dimmed = lamps;
  dimmed.replace(dimmed.find("watts: 5"), 8, "watts: 4");
  const auto diffs = DiffManifests(*client_, ParseManifests(dimmed).manifests);
  ASSERT_THAT(diffs, SizeIs(2));
  EXPECT_THAT(diffs[0].text, HasSubstr("-  watts: 5\n+  watts: 4\n"));
  EXPECT_EQ(diffs[1].text, "");
  const auto deleted = DeleteManifests(*client_, ParseManifests(lamps).manifests);
  ASSERT_THAT(deleted, SizeIs(2));
  EXPECT_EQ(deleted[0].target.name, "red");
  for (const DeleteResult& result : deleted) EXPECT_FALSE(result.error) << *result.error;
}

}  // namespace
}  // namespace kinformer::testing
