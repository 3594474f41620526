// Authorization by roles and bindings: who is refused with which words, what reviews say, and who
// may impersonate whom.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/rbac_fixture_for_test.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RbacTest : public ::testing::Test, protected RbacFixture {};

TEST_F(RbacTest, Refusals_HaveTheWordsOfARealServer) {
  const User alice{"alice", {"dev"}};
  struct Row {
    std::string_view method;
    std::string_view target;
    std::string_view message;
  };
  const std::vector<Row> rows = {
      {"GET", "/api/v1/namespaces/default/secrets",
       R"(secrets is forbidden: User "alice" cannot list resource "secrets" in API group "" in )"
       R"(the namespace "default")"},
      {"GET", "/api/v1/namespaces/default/secrets/x",
       R"(secrets "x" is forbidden: User "alice" cannot get resource "secrets" in API group "" in )"
       R"(the namespace "default")"},
      {"GET", "/api/v1/namespaces/foo",
       R"(namespaces "foo" is forbidden: User "alice" cannot get resource "namespaces" in API )"
       R"(group "" in the namespace "foo")"},
      {"GET", "/apis/apps/v1/deployments?watch=1",
       R"(deployments.apps is forbidden: User "alice" cannot watch resource "deployments" in API )"
       R"(group "apps" at the cluster scope)"},
      {"GET", "/apis/nosuch.io/v1/things",
       R"(things.nosuch.io is forbidden: User "alice" cannot list resource "things" in API group )"
       R"("nosuch.io" at the cluster scope)"},
      {"GET", "/api/v1/nodes?fieldSelector=metadata.name%3Dn1",
       R"(nodes "n1" is forbidden: User "alice" cannot list resource "nodes" in API group "" at )"
       R"(the cluster scope)"},
      {"DELETE", "/api/v1/namespaces/default/pods",
       R"(pods is forbidden: User "alice" cannot deletecollection resource "pods" in API group "" )"
       R"(in the namespace "default")"},
      {"PUT", "/apis/apps/v1/namespaces/a/deployments/d/scale",
       R"(deployments.apps "d" is forbidden: User "alice" cannot update resource )"
       R"("deployments/scale" in API group "apps" in the namespace "a")"},
      {"GET", "/metrics", R"(forbidden: User "alice" cannot get path "/metrics")"},
      {"POST", "/foo/bar/", R"(forbidden: User "alice" cannot post path "/foo/bar/")"},
  };
  for (const Row& row : rows) {
    const Reply reply = As(alice, row.method, row.target, "{}");
    EXPECT_EQ(reply.status, 403) << row.target;
    EXPECT_EQ(reply.Json()["message"].StringOrEmpty(), row.message);
    EXPECT_EQ(reply.Json()["reason"].StringOrEmpty(), "Forbidden");
  }
}

TEST_F(RbacTest, EverybodyKnowsVersionAndHealth_AndUsersDiscovery) {
  for (const std::string_view open : {"/healthz", "/livez", "/readyz", "/version", "/version/"}) {
    EXPECT_EQ(As({}, "GET", open).status, 200) << open;
  }
  EXPECT_EQ(As({}, "GET", "/api").status, 403);
  EXPECT_EQ(As({}, "GET", "/healthz/ping").status, 403);
  const Reply anonymous = As({}, "GET", "/api/v1/pods");
  EXPECT_THAT(anonymous.Json()["message"].StringOrEmpty(), HasSubstr(R"(User "system:anonymous")"));
  for (const std::string_view path : {"/api", "/apis/apps/v1", "/openapi/v3"}) {
    EXPECT_EQ(As({"alice", {}}, "GET", path).status, 200) << path;
  }
  EXPECT_EQ(As({"root", {"system:masters"}}, "GET", "/api/v1/secrets").status, 200);
}

TEST_F(RbacTest, ARoleBinding_AllowsInItsNamespaceFromTheNextRequestOn) {
  const User alice{"alice", {"dev"}};
  MakeClusterRole("reader", R"({"verbs":["get","list"],"apiGroups":[""],"resources":["pods"]})");
  EXPECT_EQ(As(alice, "GET", "/api/v1/namespaces/default/pods").status, 403);
  Bind("default", "dev", "ClusterRole", "reader", R"({"kind":"Group","name":"dev"})");
  EXPECT_EQ(As(alice, "GET", "/api/v1/namespaces/default/pods").status, 200);
  EXPECT_EQ(As(alice, "GET", "/api/v1/namespaces/default/pods?watch=1").status, 403);
  EXPECT_EQ(As(alice, "GET", "/api/v1/namespaces/other/pods").status, 403);
  EXPECT_EQ(As(alice, "GET", "/api/v1/pods").status, 403);
  EXPECT_EQ(As({"joe", {}}, "GET", "/api/v1/namespaces/default/pods").status, 403);
  // Without the role, the refusal says so.
  Do("DELETE", "/apis/rbac.authorization.k8s.io/v1/clusterroles/reader");
  EXPECT_THAT(
      As(alice, "GET", "/api/v1/namespaces/default/pods").Json()["message"].StringOrEmpty(),
      HasSubstr(R"(: rbac: RBAC: clusterrole.rbac.authorization.k8s.io "reader" not found)"));
  Do("DELETE", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings/dev");
  EXPECT_EQ(As(alice, "GET", "/api/v1/namespaces/default/pods").status, 403);
}

TEST_F(RbacTest, ANamedObject_MayBeListedByItsName) {
  const User alice{"alice", {}};
  MakeClusterRole("one", R"({"verbs":["list","watch"],"apiGroups":[""],"resources":["configmaps"],)"
                         R"("resourceNames":["a"]})");
  Bind("default", "one", "ClusterRole", "one", R"({"kind":"User","name":"alice"})");
  constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
  EXPECT_EQ(As(alice, "GET", std::string(kMaps) + "?fieldSelector=metadata.name%3Da").status, 200);
  EXPECT_EQ(As(alice, "GET", std::string(kMaps) + "?fieldSelector=metadata.name%3Db").status, 403);
  EXPECT_EQ(As(alice, "GET", std::string(kMaps) + "?fieldSelector=metadata.name%21%3Da").status,
            403);
  EXPECT_EQ(As(alice, "GET", kMaps).status, 403);
}

TEST_F(RbacTest, AnUpdateThatCreates_NeedsTheRightToCreate) {
  const User alice{"alice", {}};
  MakeClusterRole("updater",
                  R"({"verbs":["update","patch"],"apiGroups":["coordination.k8s.io",""],)"
                  R"("resources":["leases","configmaps"]})");
  Bind("default", "up", "ClusterRole", "updater", R"({"kind":"User","name":"alice"})");
  const Reply applied =
      As(alice, "PATCH", "/api/v1/namespaces/default/configmaps/new?fieldManager=me",
         R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"}})",
         "application/apply-patch+yaml");
  EXPECT_EQ(applied.status, 403);
  EXPECT_THAT(applied.Json()["message"].StringOrEmpty(),
              HasSubstr(R"(User "alice" cannot create resource "configmaps")"));
}

TEST_F(RbacTest, AccessReviews_AnswerByTheRoles) {
  const User alice{"alice", {"dev"}};
  MakeClusterRole("reader", R"({"verbs":["get"],"apiGroups":[""],"resources":["pods"]})");
  Bind("default", "dev", "ClusterRole", "reader", R"({"kind":"Group","name":"dev"})");
  constexpr std::string_view kSelf = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const auto status = [&](const User& user, std::string_view path, std::string_view spec) {
    const Reply reply = As(user, "POST", path, R"({"spec":)" + std::string(spec) + "}");
    EXPECT_EQ(reply.status, 201) << reply.body;
    return reply.Json()["status"].Dump();
  };
  EXPECT_EQ(
      status(alice, kSelf,
             R"({"resourceAttributes":{"namespace":"default","verb":"get","resource":"pods"}})"),
      R"({"allowed":true,"reason":"RBAC: allowed by RoleBinding \"dev/default\" of )"
      R"(ClusterRole \"reader\" to Group \"dev\""})");
  EXPECT_EQ(status(alice, kSelf,
                   R"({"resourceAttributes":{"namespace":"x","verb":"get","resource":"pods"}})"),
            R"({"allowed":false})");
  EXPECT_EQ(status(alice, kSelf, R"({"nonResourceAttributes":{"path":"/api","verb":"get"}})"),
            R"({"allowed":true,"reason":"RBAC: allowed by ClusterRoleBinding \"system:discovery\" )"
            R"(of ClusterRole \"system:discovery\" to Group \"system:authenticated\""})");
  const User root{"root", {"system:masters"}};
  constexpr std::string_view kOthers = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
  EXPECT_EQ(status(root, kOthers,
                   R"({"user":"x","groups":["system:masters"],)"
                   R"("nonResourceAttributes":{"path":"/x","verb":"get"}})"),
            R"({"allowed":true})");
  EXPECT_EQ(
      status(root, kOthers,
             R"({"user":"system:serviceaccount:kube-system:kube-dns",)"
             R"("resourceAttributes":{"resource":"services","verb":"list"}})"),
      R"({"allowed":true,"reason":"RBAC: allowed by ClusterRoleBinding \"system:kube-dns\" of )"
      R"(ClusterRole \"system:kube-dns\" to ServiceAccount \"kube-dns/kube-system\""})");
  // Asking about others needs a right.
  EXPECT_EQ(As(alice, "POST", kOthers, "{}").status, 403);
}

TEST_F(RbacTest, RulesReviews_ListTheRules) {
  const User alice{"alice", {}};
  Bind("default", "gone", "ClusterRole", "none", R"({"kind":"User","name":"alice"})");
  const auto review = [&](std::string_view in) {
    return As(alice, "POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
              R"({"spec":{"namespace":")" + std::string(in) + R"("}})")
        .Json()["status"];
  };
  const json::Value rules = review("default");
  EXPECT_EQ(rules["resourceRules"].Dump(),
            R"([{"verbs":["create"],"apiGroups":["authorization.k8s.io"],)"
            R"("resources":["selfsubjectaccessreviews","selfsubjectrulesreviews"]},)"
            R"({"verbs":["create"],"apiGroups":["authentication.k8s.io"],)"
            R"("resources":["selfsubjectreviews"]}])");
  EXPECT_EQ(rules["nonResourceRules"].size(), 2U);
  EXPECT_EQ(rules["incomplete"].Dump(), "false");
  EXPECT_EQ(rules["evaluationError"].StringOrEmpty(),
            R"(clusterrole.rbac.authorization.k8s.io "none" not found)");
  EXPECT_TRUE(review("other")["evaluationError"].is_null());
}

TEST_F(RbacTest, Impersonation_NeedsARightForEachPart) {
  const User alice{"alice", {}};
  const auto refusal = [&](const HeaderList& headers) {
    const Reply reply = As(alice, "GET", "/api/v1/pods", {}, {}, headers);
    EXPECT_EQ(reply.status, 403);
    return reply.Json()["message"].StringOrEmpty();
  };
  EXPECT_EQ(refusal({{"Impersonate-User", "bob"}}),
            R"(pods is forbidden: User "alice" cannot impersonate-on:user-info:list resource )"
            R"("pods" in API group "" at the cluster scope)");
  EXPECT_THAT(refusal({{"Impersonate-User", "system:serviceaccount:ns:bot"}}),
              HasSubstr("cannot impersonate-on:serviceaccount:list resource"));
  MakeClusterRole("imp", R"({"verbs":["impersonate"],"apiGroups":[""],"resources":["users"],)"
                         R"("resourceNames":["bob"]})");
  Bind("", "imp", "ClusterRole", "imp", R"({"kind":"User","name":"alice"})");
  // Allowed, and then bob is refused.
  EXPECT_THAT(refusal({{"Impersonate-User", "bob"}}), HasSubstr(R"(User "bob" cannot list)"));
  EXPECT_EQ(refusal({{"Impersonate-User", "bob"}, {"Impersonate-Group", "dev"}}),
            R"(groups "dev" is forbidden: User "alice" cannot impersonate resource "groups" in )"
            R"(API group "" at the cluster scope)");
  EXPECT_EQ(refusal({{"Impersonate-User", "bob"}, {"Impersonate-Uid", "7"}}),
            R"(uids.authentication.k8s.io "7" is forbidden: User "alice" cannot impersonate )"
            R"(resource "uids" in API group "authentication.k8s.io" at the cluster scope)");
  EXPECT_EQ(refusal({{"Impersonate-User", "bob"}, {"Impersonate-Extra-Scopes", "7"}}),
            R"(userextras.authentication.k8s.io "7" is forbidden: User "alice" cannot impersonate )"
            R"(resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster )"
            R"(scope)");
  EXPECT_THAT(refusal({{"Impersonate-User", "joe"}}), HasSubstr("impersonate-on:user-info:list"));
}

TEST_F(RbacTest, Tokens_NameTheirUsers_AndUnknownOnesAreRefused) {
  const Reply who = As({}, "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", {},
                       {{"Authorization", "Bearer jane-token"}});
  EXPECT_EQ(who.Json().At("/status/userInfo").Dump(),
            R"({"username":"jane","uid":"7","groups":["dev","system:authenticated"]})");
  EXPECT_TRUE(server_.server().Accepts("jane-token"));
  EXPECT_FALSE(server_.server().Accepts("other"));
  EXPECT_EQ(As({}, "GET", "/version", {}, {}, {{"Authorization", "Bearer other"}}).status, 401);
}

TEST_F(RbacTest, TheHead_IsJudgedBeforeTheBody) {
  HttpRequest head{.method = "POST", .target = "/api/v1/namespaces/default/pods"};
  head.user = "alice";
  const auto refusal = server_.server().JudgeHead(head);
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->status(), 403);
  head.headers.Add("X-Remote-Group", "system:masters");
  EXPECT_EQ(server_.server().JudgeHead(head), nullptr);
  TestServer open;
  head.headers.Remove("X-Remote-Group");
  EXPECT_EQ(open.server().JudgeHead(head), nullptr);
}

TEST_F(RbacTest, ARestoredState_HasTheRightsOfThatTime) {
  const User alice{"alice", {}};
  const std::int64_t before = server_.server().current_resource_version();
  Bind("", "all", "ClusterRole", "cluster-admin", R"({"kind":"User","name":"alice"})");
  EXPECT_EQ(As(alice, "GET", "/api/v1/secrets").status, 200);
  ASSERT_TRUE(server_.server().Restore(before).ok());
  EXPECT_EQ(As(alice, "GET", "/api/v1/secrets").status, 403);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
