#include "kinformer/client/api_resource.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kinformer {
namespace {

ApiResource Served(const std::string& group, const std::string& name,
                   std::vector<std::string> verbs) {
  ApiResource out;
  out.resource = {group, "v1", name};
  out.kind = name;
  out.verbs = std::move(verbs);
  return out;
}

std::vector<ApiGroupVersion> Groups() {
  ApiGroupVersion core;
  core.version = "v1";
  core.resources = {Served("", "pods", {"get", "list", "watch"}),
                    Served("", "bindings", {"create"})};
  ApiGroupVersion reviews;
  reviews.group = "authorization.k8s.io";
  reviews.version = "v1";
  reviews.resources = {Served(reviews.group, "selfsubjectaccessreviews", {"create"})};
  ApiGroupVersion down;
  down.group = "metrics.k8s.io";
  down.version = "v1beta1";
  down.error = "nobody answers";
  down.reason = Reason::kConnectionRefused;
  return {core, reviews, down};
}

TEST(ApiResource, ResourcesAreFilteredByVerbsAndByAnyPredicate_DS05) {
  const auto names = [](const std::vector<ApiGroupVersion>& groups) {
    std::string out;
    for (const GroupVersionResource& name : GroupVersionResources(groups)) {
      out += name.group + "/" + name.resource + " ";
    }
    return out;
  };
  EXPECT_EQ(names(Groups()), "/pods /bindings authorization.k8s.io/selfsubjectaccessreviews ");
  const auto readable = FilteredBy(SupportsAllVerbs({"list", "watch"}), Groups());
  EXPECT_EQ(names(readable), "/pods ");
  EXPECT_EQ(readable.size(), 1U) << "groups that have nothing are left out";
  EXPECT_EQ(names(FilteredBy(SupportsAllVerbs({}), Groups())), names(Groups()));
  EXPECT_EQ(names(FilteredBy(SupportsAllVerbs({"list", "create"}), Groups())), "");
  EXPECT_EQ(
      names(FilteredBy([](const ApiResource& each) { return each.kind == "bindings"; }, Groups())),
      "/bindings ");
}

TEST(ApiResource, VersionsAreOrderedAsKubernetesOrdersThem_DS05) {
  const std::vector<std::string> falling = {
      "v11",       "v10", "v2",   "v1",    "v11beta2", "v10beta3", "v3beta1", "v12alpha1",
      "v11alpha2", "bar", "foo1", "foo10", "v0",       "v01",      "v1beta",  "v1gamma1"};
  for (std::size_t i = 0; i < falling.size(); ++i) {
    for (std::size_t k = 0; k < falling.size(); ++k) {
      const int order = CompareKubeAwareVersionStrings(falling[i], falling[k]);
      EXPECT_EQ(order, i == k ? 0 : (i < k ? 1 : -1)) << falling[i] << " " << falling[k];
    }
  }
  EXPECT_LT(CompareKubeAwareVersionStrings("v99999999999", "v1alpha1"), 0)
      << "no version has such a number";
}

TEST(ApiResource, FailedGroupVersions_AreNamedWithTheirReasons_DS02) {
  const auto failed = GroupDiscoveryFailedErrorGroups(Groups());
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed.begin()->first, "metrics.k8s.io/v1beta1");
  EXPECT_EQ(failed.begin()->second.reason(), Reason::kConnectionRefused);
  const auto error = ErrGroupDiscoveryFailed(Groups());
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason(), Reason::kServiceUnavailable);
  EXPECT_EQ(error->message(),
            "the resources of some groups are unknown: metrics.k8s.io/v1beta1: nobody answers");
  EXPECT_FALSE(ErrGroupDiscoveryFailed({}));
}

}  // namespace
}  // namespace kinformer
