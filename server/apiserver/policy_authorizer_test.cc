// Answers of `authorizer` in expressions of admission policies.

#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "apiserver/rbac_fixture_for_test.h"

namespace kinformer::apiserver::testing {
namespace {

class PolicyAuthorizer : public ::testing::Test, protected RbacFixture {
 protected:
  PolicyAuthorizer() : PolicyAuthorizer(Options()) {}
  explicit PolicyAuthorizer(ApiServerOptions options) : RbacFixture(std::move(options)) {}

  // Makes a policy of one validation for ConfigMaps.
  void Policy(const std::string& expression) {
    const std::string group = "/apis/admissionregistration.k8s.io/v1/";
    EXPECT_EQ(Do("POST", group + "validatingadmissionpolicies",
                 R"({"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[
                   {"operations":["CREATE"],"apiGroups":[""],"apiVersions":["v1"],"resources":
                   ["configmaps"]}]},"validations":[{"expression":")" +
                     expression + "\"}]}}")
                  .status,
              201);
    EXPECT_EQ(Do("POST", group + "validatingadmissionpolicybindings",
                 R"({"metadata":{"name":"p"},"spec":{"policyName":"p","validationActions":
                   ["Deny"]}})")
                  .status,
              201);
  }
  // Returns whether a user, who may create ConfigMaps, is not refused by the policy.
  bool Admits(const std::string& expression, const User& user = {"jane"}) {
    const std::string group = "/apis/admissionregistration.k8s.io/v1/";
    Policy(expression);
    const int status = As(user, "POST", "/api/v1/namespaces/default/configmaps?dryRun=All",
                          R"({"metadata":{"name":"x"}})")
                           .status;
    EXPECT_EQ(Do("DELETE", group + "validatingadmissionpolicybindings/p").status, 200);
    EXPECT_EQ(Do("DELETE", group + "validatingadmissionpolicies/p").status, 200);
    return status == 201;
  }
};

TEST_F(PolicyAuthorizer, Checks_FollowTheRolesOfTheSender) {
  MakeClusterRole("maps", R"({"apiGroups":[""],"resources":["configmaps"],"verbs":["create"]})");
  EXPECT_EQ(Do("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
               R"({"metadata":{"name":"maps"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",
                 "kind":"ClusterRole","name":"maps"},"subjects":[{"kind":"User","name":"jane",
                 "apiGroup":"rbac.authorization.k8s.io"},{"kind":"ServiceAccount","name":"robot",
                 "namespace":"default"}]})")
                .status,
            201);
  EXPECT_TRUE(Admits("authorizer.requestResource.check('create').allowed()"));
  EXPECT_FALSE(Admits("authorizer.requestResource.check('delete').allowed()"));
  EXPECT_TRUE(
      Admits("authorizer.group('').resource('configmaps').namespace('a').check('create')"
             ".allowed()"));
  EXPECT_FALSE(Admits("authorizer.group('').resource('secrets').check('create').allowed()"));
  EXPECT_TRUE(
      Admits("authorizer.serviceAccount('default', 'robot').group('').resource("
             "'configmaps').check('create').allowed()"));
  EXPECT_FALSE(
      Admits("authorizer.serviceAccount('default', 'other').group('').resource("
             "'configmaps').check('create').allowed()"));
  EXPECT_TRUE(Admits("authorizer.path('/healthz').check('get').allowed()"));
  EXPECT_FALSE(Admits("authorizer.path('/metrics').check('get').allowed()"));
  EXPECT_TRUE(Admits("request.userInfo.username == 'jane'"));
}

// A kubelet may list the pods of its node only.
class NodePolicyAuthorizer : public PolicyAuthorizer {
 protected:
  NodePolicyAuthorizer() : PolicyAuthorizer(WithNodes()) {}

 private:
  static ApiServerOptions WithNodes() {
    ApiServerOptions options = Options();
    options.authorization = AuthorizationMode::kNodeAndRbac;
    return options;
  }
};

TEST_F(NodePolicyAuthorizer, FieldSelectors_AreAskedForKubelets) {
  MakeClusterRole("maps", R"({"apiGroups":[""],"resources":["configmaps"],"verbs":["create"]})");
  Bind("", "maps", "ClusterRole", "maps", R"({"kind":"User","name":"system:node:a"})");
  const auto admits = [&](const std::string& selector) {
    return Admits("authorizer.group('').resource('pods')" + selector + ".check('list').allowed()",
                  {"system:node:a", {"system:nodes"}});
  };
  EXPECT_TRUE(admits(".fieldSelector('spec.nodeName=a')"));
  EXPECT_TRUE(admits(".labelSelector('x=y').fieldSelector('spec.nodeName=a,status.phase!=x')"));
  EXPECT_FALSE(admits(".fieldSelector('spec.nodeName=b')"));
  EXPECT_FALSE(admits(".fieldSelector('spec.nodeName')"));
  EXPECT_FALSE(admits(""));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
