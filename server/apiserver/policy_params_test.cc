#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "apiserver/testing/policy_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::HasSubstr;

class PolicyParams : public PolicyFixture {
 protected:
  PolicyParams() {
    for (const std::string name : {"one", "two"}) {
      const std::string body = R"({"metadata":{"name":")" + name + R"(","labels":{"for":"p"}}})";
      EXPECT_EQ(server_.Do("POST", "/api/v1/namespaces/default/serviceaccounts", body).status, 201);
    }
  }
  // Makes a policy that refuses with the name of its parameters.
  void Params(const std::string& ref, const std::string& kind = "ServiceAccount") {
    Policy("p",
           "{`paramKind`:{`apiVersion`:`v1`,`kind`:`" + kind +
               "`},`validations`:[{`expression`:`params == null`,`messageExpression`:"
               "`params.kind + ' ' + params.metadata.name`}]}",
           ref);
  }
  // Returns the end of the refusal.
  std::string Said() {
    const std::string message = Refused(Map("x"));
    const std::string before = "denied request: ";
    const std::size_t at = message.find(before);
    return at == std::string::npos ? message : message.substr(at + before.size());
  }
};

TEST_F(PolicyParams, AreFoundByNameOrLabels) {
  const std::string missing =
      "failed to configure binding: no params found for policy binding with `Deny` "
      "parameterNotFoundAction";
  struct Row {
    std::string ref;
    std::string said;
  };
  for (const Row& row : {
           Row{"", ""},
           Row{"`name`:`two`,`parameterNotFoundAction`:`Deny`", "ServiceAccount two"},
           Row{"`name`:`two`,`namespace`:`default`,`parameterNotFoundAction`:`Deny`",
               "ServiceAccount two"},
           Row{"`selector`:{`matchLabels`:{`for`:`p`}},`parameterNotFoundAction`:`Deny`",
               "ServiceAccount one"},
           Row{"`selector`:{},`parameterNotFoundAction`:`Deny`", "ServiceAccount one"},
           Row{"`name`:`three`,`parameterNotFoundAction`:`Allow`", ""},
           Row{"`name`:`three`,`parameterNotFoundAction`:`Deny`", missing},
           Row{"`name`:`one`,`namespace`:`kube-system`,`parameterNotFoundAction`:`Deny`", missing},
       }) {
    Params(row.ref.empty() ? "{}" : "{`paramRef`:{" + row.ref + "}}");
    EXPECT_EQ(Said(), row.said) << row.ref;
    Remove("p");
  }
}

TEST_F(PolicyParams, AnUnknownKind_RefusesByTheFailurePolicy) {
  Params("{`paramRef`:{`name`:`a`,`parameterNotFoundAction`:`Allow`}}", "Nothing");
  EXPECT_EQ(Refused(Map("x")),
            "configmaps \"x\" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed "
            "to configure policy: failed to find resource referenced by paramKind: '/v1, "
            "Kind=Nothing'");
}

TEST_F(PolicyParams, AClusterScopedKind_HasNoNamespace) {
  Params("{`paramRef`:{`name`:`kube-system`,`parameterNotFoundAction`:`Deny`}}", "Namespace");
  EXPECT_EQ(Said(), "Namespace kube-system");
  Remove("p");
  Params("{`paramRef`:{`name`:`default`,`namespace`:`a`,`parameterNotFoundAction`:`Deny`}}",
         "Namespace");
  EXPECT_EQ(Said(),
            "failed to configure binding: paramRef.namespace must not be provided for a "
            "cluster-scoped `paramKind`");
}

TEST_F(PolicyParams, ACustomResource_IsRead) {
  ASSERT_EQ(server_
                .Do("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                    R"({"metadata":{"name":"limits.x.io"},"spec":{"group":"x.io","scope":
                      "Namespaced","names":{"plural":"limits","kind":"Limit"},"versions":[{"name":
                      "v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":
                      "object","properties":{"most":{"type":"integer"}}}}}]}})")
                .status,
            201);
  ASSERT_EQ(server_
                .Do("POST", "/apis/x.io/v1/namespaces/default/limits",
                    R"({"apiVersion":"x.io/v1","kind":"Limit","metadata":{"name":"l"},"most":1})")
                .status,
            201);
  Policy("p",
         "{`paramKind`:{`apiVersion`:`x.io/v1`,`kind`:`Limit`},`validations`:["
         "{`expression`:`object.?data.orValue({}).size() <= params.most`}]}",
         "{`paramRef`:{`name`:`l`,`parameterNotFoundAction`:`Deny`}}");
  EXPECT_EQ(Refused(Map("x", R"(,"data":{"a":""})")), "");
  EXPECT_THAT(Refused(Map("x", R"(,"data":{"a":"","b":""})")), HasSubstr("params.most"));
}

TEST_F(PolicyParams, ANamespacedKind_NeedsANamespace) {
  Policy("p",
         "{`paramKind`:{`apiVersion`:`v1`,`kind`:`Secret`},`validations`:[{`expression`:`true`}],"
         "`matchConstraints`:{`resourceRules`:[{`operations`:[`*`],`apiGroups`:[``],"
         "`apiVersions`:[`v1`],`resources`:[`nodes`]}]}}",
         "{`paramRef`:{`name`:`one`,`parameterNotFoundAction`:`Deny`}}");
  const Reply reply = server_.Do("POST", "/api/v1/nodes", Map("n"));
  EXPECT_EQ(reply.status, 422);
  EXPECT_THAT(reply.Json()["message"].StringOrEmpty(),
              HasSubstr("cannot use namespaced paramRef in policy binding that matches "
                        "cluster-scoped resources"));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
