// Aggregated ClusterRoles have the rules of those that they select.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "apiserver/rbac_fixture_for_test.h"

namespace kinformer::apiserver::testing {
namespace {

constexpr std::string_view kPath = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

class AggregatedRolesTest : public ::testing::Test, protected RbacFixture {
 protected:
  json::Value RulesOf(std::string_view name) {
    (void)server_.sim().RunUntil([] { return false; }, std::chrono::seconds(1));
    return Do("GET", std::string(kPath) + "/" + std::string(name)).Json()["rules"];
  }
  void Make(std::string_view name, std::string_view label, std::string_view rest) {
    const Reply made = Do("POST", kPath,
                          R"({"metadata":{"name":")" + std::string(name) + R"(","labels":{)" +
                              std::string(label) + R"(:"true"}},)" + std::string(rest) + "}");
    EXPECT_EQ(made.status, 201) << made.body;
  }
  static std::string Selects(std::string_view label) {
    return R"("aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{)" + std::string(label) +
           R"(:"true"}}]},"rules":[])";
  }
};

TEST_F(AggregatedRolesTest, TheUsersRoles_AreCompleteFromTheStart) {
  // 12 rules; the rules of view and 15 more; those of edit and 2 more.
  EXPECT_EQ(RulesOf("view").size(), 12U);
  EXPECT_EQ(RulesOf("edit").size(), 27U);
  EXPECT_EQ(RulesOf("admin").size(), 29U);
  Bind("default", "v", "ClusterRole", "view", R"({"kind":"User","name":"alice"})");
  EXPECT_EQ(As({"alice", {}}, "GET", "/api/v1/namespaces/default/pods").status, 200);
  EXPECT_EQ(As({"alice", {}}, "GET", "/api/v1/namespaces/default/secrets").status, 403);
}

TEST_F(AggregatedRolesTest, ANewRole_IsAddedAndTakenOut) {
  constexpr std::string_view kRule =
      R"({"verbs":["get"],"apiGroups":["x.io"],"resources":["things"]})";
  Make("things", R"("rbac.authorization.k8s.io/aggregate-to-view")",
       R"("rules":[)" + std::string(kRule) + "]");
  EXPECT_EQ(RulesOf("view").size(), 13U);
  EXPECT_EQ(RulesOf("admin").size(), 30U);
  Bind("default", "v", "ClusterRole", "view", R"({"kind":"User","name":"alice"})");
  // There is no such resource, and alice may know that.
  EXPECT_EQ(As({"alice", {}}, "GET", "/apis/x.io/v1/namespaces/default/things/a").status, 404);
  Do("DELETE", std::string(kPath) + "/things");
  EXPECT_EQ(RulesOf("admin").size(), 29U);
}

TEST_F(AggregatedRolesTest, RolesInACircle_ComeToAnEnd) {
  Make("a", R"("in-c")", Selects(R"("in-a")"));
  Make("b", R"("in-a")", Selects(R"("in-b")"));
  Make("c", R"("in-b")", Selects(R"("in-c")"));
  Make("d", R"("in-b")", R"("rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}])");
  for (const std::string_view name : {"a", "b", "c"}) EXPECT_EQ(RulesOf(name).size(), 1U) << name;
  // Each has its rule from the next one.
  Do("DELETE", std::string(kPath) + "/d");
  EXPECT_EQ(RulesOf("a").size(), 1U);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
