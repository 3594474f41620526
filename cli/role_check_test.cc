#include "cli/role_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "cli/least_roles.h"

namespace kinformer::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kRoles[] = R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: op}
rules:
- {apiGroups: [""], resources: [pods], verbs: [get, delete]}
- {nonResourceURLs: [/metrics], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: lease, namespace: system}
rules:
- {apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [op], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: viewer}
rules:
- {apiGroups: [""], resources: [nodes], verbs: [list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: op, namespace: shop}
roleRef: {kind: ClusterRole, name: op}
subjects: [{kind: ServiceAccount, name: op}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: lease, namespace: system}
roleRef: {kind: Role, name: lease}
subjects: [{kind: ServiceAccount, name: op, namespace: shop}]
)";

const AskedRequest kPod{.verb = "get", .resource = "pods", .namespace_ = "shop", .name = "a"};
const AskedRequest kElsewhere{.verb = "get", .resource = "pods", .namespace_ = "x", .name = "a"};
const AskedRequest kLease{.verb = "get",
                          .group = "coordination.k8s.io",
                          .resource = "leases",
                          .namespace_ = "system",
                          .name = "op"};
const AskedRequest kStatus{
    .verb = "update", .resource = "pods/status", .namespace_ = "shop", .name = "a"};

RoleFindings Check(const std::string& account, const std::vector<AskedRequest>& requests) {
  return CheckRoles(ParseManifests(kRoles).manifests, account, requests).OrExit();
}

TEST(CheckRoles, WithoutAnAccount_AllRolesCount) {
  const RoleFindings found = Check("", {kPod, kElsewhere, kLease, kStatus, kStatus});
  EXPECT_THAT(found.lacking, ElementsAre("update pods/status in shop (a)"));
  EXPECT_THAT(found.unused,
              ElementsAre("ClusterRole op: delete pods", "ClusterRole op: get /metrics",
                          "ClusterRole viewer: list nodes"));
}

TEST(CheckRoles, Account_HasTheRolesThatAreBoundToItWhereTheyAre) {
  const RoleFindings found = Check("system:serviceaccount:shop:op", {kPod, kElsewhere, kLease});
  EXPECT_THAT(found.lacking, ElementsAre("get pods in x (a)"));
  EXPECT_THAT(found.unused,
              ElementsAre("ClusterRole op: delete pods", "ClusterRole op: get /metrics"));
}

TEST(CheckRoles, OtherName_IsLacking) {
  AskedRequest other = kLease;
  other.name = "other";
  const RoleFindings found = Check("", {other});
  EXPECT_THAT(found.lacking, ElementsAre("get leases.coordination.k8s.io in system (other)"));
  EXPECT_THAT(found.unused,
              ::testing::Contains("Role system/lease: get leases.coordination.k8s.io (op)"));
}

TEST(CheckRoles, NoRole_IsAnError) {
  const auto nobody =
      CheckRoles(ParseManifests(kRoles).manifests, "system:serviceaccount:a:b", {kPod});
  ASSERT_FALSE(nobody.ok());
  EXPECT_THAT(std::string(nobody.error().message()), HasSubstr("system:serviceaccount:a:b"));
  EXPECT_FALSE(CheckRoles({}, "", {kPod}).ok());
}

TEST(CheckRoles, LeastRoles_LackNothingAndHaveNothingUnused) {
  const std::vector<AskedRequest> requests{
      kPod, kLease, kStatus, {.verb = "get", .path = "/metrics"}};
  std::vector<Manifest> manifests;
  for (const json::Value& role : LeastRoles(requests, {.name = "op"})) {
    manifests.push_back({.object = role});
  }
  const RoleFindings found = CheckRoles(manifests, "", requests).OrExit();
  EXPECT_THAT(found.lacking, IsEmpty());
  EXPECT_THAT(found.unused, IsEmpty());
}

}  // namespace
}  // namespace kinformer::cli
