// Nobody gives others rights that they do not have themselves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "apiserver/rbac_fixture_for_test.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kRoles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
constexpr std::string_view kBindings =
    "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";
constexpr std::string_view kClusterRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
constexpr std::string_view kAlice = R"({"kind":"User","name":"alice"})";

class EscalationTest : public ::testing::Test, protected RbacFixture {
 protected:
  // Alice may write roles and bindings, and read pods, in all namespaces.
  EscalationTest() {
    MakeClusterRole("roles",
                    R"({"verbs":["*"],"apiGroups":["rbac.authorization.k8s.io"],"resources":)"
                    R"(["placeholders"]},)"
                    R"({"verbs":["create","update","patch","get"],"apiGroups":)"
                    R"(["rbac.authorization.k8s.io"],"resources":["roles","rolebindings",)"
                    R"("clusterroles","clusterrolebindings"]},)"
                    R"({"verbs":["get","list"],"apiGroups":[""],"resources":["pods"]})");
    Bind("", "roles", "ClusterRole", "roles", kAlice);
  }
  static std::string Role(std::string_view name, std::string_view verbs, std::string_view resource,
                          std::string_view more = {}) {
    return R"({"metadata":{"name":")" + std::string(name) + R"("},"rules":[{"verbs":[)" +
           std::string(verbs) + R"(],"apiGroups":[""],"resources":[")" + std::string(resource) +
           R"("]}])" + std::string(more) + "}";
  }
  static std::string Binding(std::string_view kind, std::string_view role) {
    return R"({"metadata":{"name":"b"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
           R"("kind":")" +
           std::string(kind) + R"(","name":")" + std::string(role) + R"("}})";
  }

  const User alice_{"alice", {"dev"}};
};

TEST_F(EscalationTest, ARole_GivesNoMoreThanItsWriterHas) {
  EXPECT_EQ(As(alice_, "POST", kRoles, Role("r", R"("get","list")", "pods")).status, 201);
  const Reply more = As(alice_, "POST", kRoles, Role("s", R"("get","watch")", "pods"));
  EXPECT_EQ(more.status, 403);
  EXPECT_EQ(more.Json()["message"].StringOrEmpty(),
            "roles.rbac.authorization.k8s.io \"s\" is forbidden: user \"alice\" (groups=[\"dev\" "
            "\"system:authenticated\"]) is attempting to grant RBAC permissions not currently "
            "held:\n{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"watch\"]}");
  EXPECT_EQ(As(alice_, "PUT", std::string(kRoles) + "/r", Role("r", R"("*")", "pods")).status, 403);
  EXPECT_EQ(As(alice_, "PATCH", std::string(kRoles) + "/r",
               R"({"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}]})",
               "application/merge-patch+json")
                .status,
            403);
  // Owners and finalizers are the garbage collector's.
  EXPECT_EQ(Do("POST", kRoles, Role("t", R"("*")", "secrets")).status, 201);
  EXPECT_EQ(As(alice_, "PATCH", std::string(kRoles) + "/t",
               R"({"metadata":{"finalizers":["a.example/b"]}})", "application/merge-patch+json")
                .status,
            200);
  EXPECT_EQ(As(alice_, "PATCH", std::string(kRoles) + "/t", R"({"metadata":{"labels":{"a":"b"}}})",
               "application/merge-patch+json")
                .status,
            403);
}

TEST_F(EscalationTest, TheVerbEscalate_LetsARoleGiveMore) {
  MakeClusterRole("esc", R"({"verbs":["escalate"],"apiGroups":["rbac.authorization.k8s.io"],)"
                         R"("resources":["roles"],"resourceNames":["named"]})");
  Bind("default", "esc", "ClusterRole", "esc", kAlice);
  EXPECT_EQ(Do("POST", kRoles, Role("named", R"("get")", "pods")).status, 201);
  EXPECT_EQ(
      As(alice_, "PUT", std::string(kRoles) + "/named", Role("named", R"("*")", "nodes")).status,
      200);
  EXPECT_EQ(As(alice_, "POST", kRoles, Role("other", R"("*")", "nodes")).status, 403);
}

TEST_F(EscalationTest, ABinding_GivesNoMoreThanItsWriterHas) {
  MakeClusterRole("pods", R"({"verbs":["get"],"apiGroups":[""],"resources":["pods"]})");
  EXPECT_EQ(As(alice_, "POST", kBindings, Binding("ClusterRole", "pods")).status, 201);
  const Reply all = As(alice_, "POST", kBindings, Binding("ClusterRole", "cluster-admin"));
  EXPECT_EQ(all.status, 403);
  EXPECT_THAT(all.Json()["message"].StringOrEmpty(),
              HasSubstr("not currently held:\n{APIGroups:[\"*\"], Resources:[\"*\"], Verbs:[\"*\"]}"
                        "\n{NonResourceURLs:[\"*\"], Verbs:[\"*\"]}"));
  const Reply none = As(alice_, "POST", kBindings, Binding("Role", "none"));
  EXPECT_EQ(none.status, 404);
  EXPECT_EQ(none.Json()["message"].StringOrEmpty(),
            R"(rolebindings.rbac.authorization.k8s.io "none" not found)");
}

TEST_F(EscalationTest, TheVerbBind_LetsABindingGiveMore) {
  MakeClusterRole("binder", R"({"verbs":["bind"],"apiGroups":["rbac.authorization.k8s.io"],)"
                            R"("resources":["clusterroles"],"resourceNames":["cluster-admin"]})");
  Bind("default", "binder", "ClusterRole", "binder", kAlice);
  EXPECT_EQ(As(alice_, "POST", kBindings, Binding("ClusterRole", "cluster-admin")).status, 201);
  // Only there.
  EXPECT_EQ(As(alice_, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
               Binding("ClusterRole", "cluster-admin"))
                .status,
            403);
}

TEST_F(EscalationTest, AnAggregationRule_NeedsAllRights) {
  const std::string role = Role("agg", R"("get")", "pods",
                                R"(,"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":)"
                                R"({"a":"b"}}]})");
  const Reply refused = As(alice_, "POST", kClusterRoles, role);
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.Json()["message"].StringOrEmpty(),
            R"(clusterroles.rbac.authorization.k8s.io "agg" is forbidden: must have cluster-admin )"
            R"(privileges to use the aggregationRule)");
  EXPECT_EQ(Do("POST", kClusterRoles, role).status, 201);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
