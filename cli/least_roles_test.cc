#include "cli/least_roles.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/json/yaml.h"

namespace kinformer::cli {
namespace {

std::string Text(const std::vector<AskedRequest>& requests, std::set<std::string> any = {}) {
  std::string out;
  for (const json::Value& role : LeastRoles(requests, {.name = "op", .any = std::move(any)})) {
    out += role["kind"].StringOrEmpty();
    const std::string space = role["metadata"]["namespace"].StringOrEmpty();
    out += (space.empty() ? "" : " in " + space) + ":\n" + yaml::Dump(role["rules"]);
  }
  return out;
}

// An operator that watches websites everywhere, and makes a ConfigMap in a test's namespace.
const std::vector<AskedRequest> kOperator = {
    {.verb = "list", .group = "example.com", .resource = "websites"},
    {.verb = "watch", .group = "example.com", .resource = "websites"},
    {.verb = "update",
     .group = "example.com",
     .resource = "websites/status",
     .namespace_ = "default",
     .name = "shop"},
    {.verb = "watch", .resource = "configmaps"},
    {.verb = "create", .resource = "configmaps", .namespace_ = "default", .name = "shop"},
    {.verb = "update", .resource = "configmaps", .namespace_ = "default", .name = "shop"},
    {.verb = "create", .resource = "events", .namespace_ = "default"},
    {.verb = "create",
     .group = "coordination.k8s.io",
     .resource = "leases",
     .namespace_ = "system",
     .name = "op"},
    {.verb = "get",
     .group = "coordination.k8s.io",
     .resource = "leases",
     .namespace_ = "system",
     .name = "op"},
    {.verb = "update",
     .group = "coordination.k8s.io",
     .resource = "leases",
     .namespace_ = "system",
     .name = "op"},
    {.verb = "get", .path = "/metrics"},
};

TEST(LeastRoles, Operator_ActsWhereItWatchesAndKeepsItsLease) {
  EXPECT_EQ(Text(kOperator), R"(ClusterRole:
- nonResourceURLs:
  - /metrics
  verbs:
  - get
- apiGroups:
  - ""
  resources:
  - configmaps
  verbs:
  - create
  - update
  - watch
- apiGroups:
  - ""
  resources:
  - events
  verbs:
  - create
- apiGroups:
  - example.com
  resources:
  - websites
  verbs:
  - list
  - watch
- apiGroups:
  - example.com
  resources:
  - websites/status
  verbs:
  - update
Role in system:
- apiGroups:
  - coordination.k8s.io
  resources:
  - leases
  verbs:
  - create
- apiGroups:
  - coordination.k8s.io
  resourceNames:
  - op
  resources:
  - leases
  verbs:
  - get
  - update
)");
}

TEST(LeastRoles, OrderOfRequests_ChangesNothing) {
  std::vector<AskedRequest> reversed = kOperator;
  std::reverse(reversed.begin(), reversed.end());
  reversed.insert(reversed.end(), kOperator.begin(), kOperator.end());
  EXPECT_EQ(Text(reversed), Text(kOperator));
}

TEST(LeastRoles, WatchesOfOneNamespace_StayInIt) {
  EXPECT_EQ(Text({{.verb = "watch", .resource = "pods", .namespace_ = "a"},
                  {.verb = "create", .resource = "events", .namespace_ = "a"}}),
            "Role in a:\n- apiGroups:\n  - \"\"\n  resources:\n  - events\n  verbs:\n  - create\n"
            "- apiGroups:\n  - \"\"\n  resources:\n  - pods\n  verbs:\n  - watch\n");
}

TEST(LeastRoles, ResourcesWithTheSameVerbs_AreOneRule) {
  EXPECT_EQ(Text({{.verb = "list", .resource = "pods"}, {.verb = "list", .resource = "nodes"}}),
            "ClusterRole:\n- apiGroups:\n  - \"\"\n  resources:\n  - nodes\n  - pods\n  verbs:\n"
            "  - list\n");
}

TEST(LeastRoles, SeveralNames_AreNotNamed) {
  const std::vector<AskedRequest> two = {
      {.verb = "get", .resource = "secrets", .namespace_ = "a", .name = "x"},
      {.verb = "get", .resource = "secrets", .namespace_ = "a", .name = "y"}};
  EXPECT_EQ(Text(two),
            "Role in a:\n- apiGroups:\n  - \"\"\n  resources:\n  - secrets\n  verbs:\n  - get\n");
}

TEST(LeastRoles, AnyResource_IsForAllNamesAndNamespaces) {
  const std::vector<AskedRequest> one = {
      {.verb = "get", .resource = "secrets", .namespace_ = "a", .name = "x"}};
  EXPECT_NE(Text(one).find("resourceNames"), std::string::npos);
  EXPECT_EQ(Text(one, {"secrets"}),
            "ClusterRole:\n- apiGroups:\n  - \"\"\n  resources:\n  - secrets\n  verbs:\n  - get\n");
}

}  // namespace
}  // namespace kinformer::cli
