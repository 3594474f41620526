#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/testing/policy_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class AdmissionPolicies : public PolicyFixture {};

TEST_F(AdmissionPolicies, ARefusal_IsThatOfARealServer) {
  Policy("p", "{`validations`:[{`expression`:`object.metadata.name != 'x'`}]}");
  const Reply reply = Post(Map("x"));
  EXPECT_EQ(reply.status, 422);
  const std::string message =
      "ValidatingAdmissionPolicy 'p' with binding 'p' denied request: failed expression: "
      "object.metadata.name != 'x'";
  json::Value status = reply.Json();
  EXPECT_EQ(status["message"].StringOrEmpty(), "configmaps \"x\" is forbidden: " + message);
  status.Erase("message");
  EXPECT_EQ(status.Dump(),
            Ticked("{`kind`:`Status`,`apiVersion`:`v1`,`metadata`:{},`status`:`Failure`,"
                   "`reason`:`Invalid`,`details`:{`name`:`x`,`kind`:`configmaps`,`causes`:["
                   "{`message`:`" +
                   message + "`}]},`code`:422}")
                .Dump());
  EXPECT_EQ(Post(Map("y")).status, 201);
}

TEST_F(AdmissionPolicies, APolicyWithoutBinding_HasNoEffect) {
  ASSERT_EQ(
      Send("validatingadmissionpolicies", "p", Spec("{`validations`:[{`expression`:`false`}]}"))
          .status,
      201);
  EXPECT_EQ(Refused(Map("x")), "");
  Bind("b", "p");
  EXPECT_THAT(Refused(Map("x")), HasSubstr("ValidatingAdmissionPolicy 'p' with binding 'b'"));
  EXPECT_EQ(
      server_.Do("DELETE", std::string(kGroup) + "validatingadmissionpolicybindings/b").status,
      200);
  EXPECT_EQ(Refused(Map("x")), "");
}

TEST_F(AdmissionPolicies, ReasonsHaveTheirCodes) {
  for (const auto& [reason, code] : std::vector<std::pair<std::string, int>>{
           {"Forbidden", 403}, {"Invalid", 422}, {"RequestEntityTooLarge", 413}}) {
    Policy("p",
           "{`validations`:[{`expression`:`false`,`message`:` no `,`reason`:`" + reason + "`}]}");
    const Reply reply = Post(R"({"metadata":{"generateName":"g-"}})");
    EXPECT_EQ(reply.status, code);
    EXPECT_EQ(reply.Json()["reason"].StringOrEmpty(), reason);
    EXPECT_THAT(reply.Json()["message"].StringOrEmpty(), EndsWith("denied request: no"));
    Remove("p");
  }
}

TEST_F(AdmissionPolicies, Messages_ComeFromExpressionsIfThoseHaveOne) {
  for (const auto& [expression, message] : std::vector<std::pair<std::string, std::string>>{
           {"'name ' + object.metadata.name", "name x"},
           {"string(object.data.none)", "otherwise"},
           {"' '", "otherwise"},
           {"'a\\\\nb'", "otherwise"},
           {"variables.name + request.operation", "xCREATE"},
           {"string(variables.may)", "otherwise"}}) {
    Policy("p",
           "{`variables`:[{`name`:`name`,`expression`:`string(object.metadata.name)`},"
           "{`name`:`may`,`expression`:`authorizer.path('/a').check('get').allowed()`}],"
           "`validations`:[{`expression`:`false`,`message`:`otherwise`,`messageExpression`:`" +
               expression + "`}]}");
    EXPECT_EQ(Refused(Map("x")),
              "configmaps \"x\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' "
              "denied request: " +
                  message)
        << expression;
    Remove("p");
  }
}

TEST_F(AdmissionPolicies, Variables_AreComputedWhenTheyAreNeeded) {
  Policy("p",
         "{`variables`:[{`name`:`broken`,`expression`:`object.data.none`},"
         "{`name`:`size`,`expression`:`object.?data.orValue({}).size()`},"
         "{`name`:`small`,`expression`:`variables.size < 2`}],"
         "`validations`:[{`expression`:`variables.small || variables.broken == 'a'`}]}");
  EXPECT_EQ(Refused(Map("x")), "");
  EXPECT_THAT(Refused(Map("x", R"(,"data":{"a":"","b":""})")),
              HasSubstr("denied request: expression 'variables.small || variables.broken == 'a'' "
                        "resulted in error: composited variable \"broken\" fails to evaluate: no "
                        "such key: none"));
}

TEST_F(AdmissionPolicies, ErrorsAreAMatterOfTheFailurePolicy) {
  Policy("p",
         "{`failurePolicy`:`Ignore`,`validations`:[{`expression`:`object.data.a == 'b'`},"
         "{`expression`:`object.metadata.name == 'x'`}]}");
  EXPECT_EQ(Refused(Map("x")), "");
  EXPECT_THAT(Refused(Map("y")), HasSubstr("failed expression: object.metadata.name == 'x'"));
  Policy("q", "{`validations`:[{`expression`:`object.data.a == 'b'`}]}");
  EXPECT_THAT(Refused(Map("x")),
              HasSubstr("'q' with binding 'q' denied request: expression 'object.data.a == 'b'' "
                        "resulted in error: no such key: data"));
}

TEST_F(AdmissionPolicies, ActionsOtherThanDeny_LetPass) {
  Policy("p", "{`validations`:[{`expression`:`false`,`message`:`tut`}]}",
         "{`validationActions`:[`Warn`,`Audit`]}");
  const Reply reply = Post(Map("x"));
  EXPECT_EQ(reply.status, 201);
  EXPECT_THAT(std::string(reply.headers.Get("Warning")),
              HasSubstr("Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': "
                        "tut"));
  Remove("p");
  Policy("p", "{`validations`:[{`expression`:`false`}]}", "{`validationActions`:[`Audit`]}");
  const Reply silent = Post(Map("y"));
  EXPECT_EQ(silent.status, 201);
  EXPECT_EQ(silent.headers.Get("Warning"), "");
}

TEST_F(AdmissionPolicies, AuditAnnotations_RefuseIfTheyFail) {
  Policy("p", "{`auditAnnotations`:[{`key`:`k`,`valueExpression`:`'a' + string(object.data.b)`}]}",
         "{`validationActions`:[`Audit`]}");
  EXPECT_EQ(Refused(Map("x", R"(,"data":{"b":"c"})")), "");
  EXPECT_THAT(Refused(Map("x")), HasSubstr("resulted in error: no such key: data"));
}

TEST_F(AdmissionPolicies, MatchConditions_DecideWhetherAPolicyApplies) {
  Policy("p",
         "{`matchConditions`:[{`name`:`n`,`expression`:`object.metadata.name == 'x'`}],"
         "`validations`:[{`expression`:`false`}]}");
  EXPECT_EQ(Refused(Map("y")), "");
  EXPECT_NE(Refused(Map("x")), "");
  Remove("p");
  Policy("p",
         "{`matchConditions`:[{`name`:`n`,`expression`:`object.data.a == 'x'`}],"
         "`validations`:[{`expression`:`true`}]}");
  EXPECT_THAT(Refused(Map("x")), HasSubstr("denied request: expression 'object.data.a == 'x'' "
                                           "resulted in error: no such key: data"));
}

TEST_F(AdmissionPolicies, ConstraintsAndBindings_LimitWhatIsMatched) {
  struct Row {
    std::string constraints;
    std::string binding;
    std::string names;  // of those that are refused
  };
  ASSERT_EQ(server_
                .Do("PATCH", "/api/v1/namespaces/default", R"({"metadata":{"labels":{"a":"b"}}})",
                    {{"Content-Type", "application/merge-patch+json"}})
                .status,
            200);
  const std::string rule =
      "{`operations`:[`*`],`apiGroups`:[``],`apiVersions`:[`v1`],`resources`:[`configmaps`]";
  for (const Row& row : {
           Row{"{}", "{}", "xy"},
           Row{"{`excludeResourceRules`:[" + rule + ",`resourceNames`:[`x`]}]}", "{}", "y"},
           Row{"{`resourceRules`:[" + rule + ",`resourceNames`:[`x`]}]}", "{}", "x"},
           Row{"{`objectSelector`:{`matchLabels`:{`name`:`x`}}}", "{}", "x"},
           Row{"{`namespaceSelector`:{`matchLabels`:{`a`:`c`}}}", "{}", ""},
           Row{"{`namespaceSelector`:{`matchLabels`:{`a`:`b`}}}", "{}", "xy"},
           Row{"{}", "{`objectSelector`:{`matchLabels`:{`name`:`y`}}}", "y"},
           Row{"{}", "{`resourceRules`:[" + rule + ",`resourceNames`:[`y`]}]}", "y"},
           Row{"{}", "{`excludeResourceRules`:[" + rule + "}]}", ""},
       }) {
    Policy("p",
           "{`matchConstraints`:" + row.constraints + ",`validations`:[{`expression`:`false`}]}",
           "{`matchResources`:" + row.binding + "}");
    std::string names;
    for (const std::string name : {"x", "y"}) {
      const std::string body =
          R"({"metadata":{"name":")" + name + R"(","labels":{"name":")" + name + "\"}}}";
      if (!Refused(body).empty()) names += name;
    }
    EXPECT_EQ(names, row.names) << row.constraints << row.binding;
    Remove("p");
  }
}

TEST_F(AdmissionPolicies, EachVerb_HasItsObjects) {
  EXPECT_EQ(Post(Map("x")).status, 201);
  Policy("p",
         "{`validations`:[{`expression`:`request.operation == 'DELETE' ? object == null && "
         "oldObject.metadata.name != 'x' : oldObject == null || has(object.data)`}]}");
  const std::string item = std::string(kMaps) + "/x";
  EXPECT_EQ(server_.Do("DELETE", item).status, 422);
  EXPECT_EQ(server_.Do("PUT", item, Map("x")).status, 422);
  EXPECT_EQ(server_.Do("PUT", item, Map("x", R"(,"data":{"a":"b"})")).status, 200);
  EXPECT_EQ(server_.Do("DELETE", kMaps).status, 422);
}

TEST_F(AdmissionPolicies, NamespaceObjectIsThatOfTheRequest) {
  Policy("p",
         "{`validations`:[{`expression`:`namespaceObject.metadata.name == 'default' && "
         "namespaceObject.status.phase == 'Active'`}]}");
  EXPECT_EQ(Refused(Map("x")), "");
  Remove("p");
  Policy("p",
         "{`validations`:[{`expression`:`namespaceObject == null`}],"
         "`matchConstraints`:{`resourceRules`:[{`operations`:[`*`],`apiGroups`:[``],"
         "`apiVersions`:[`*`],`resources`:[`nodes`,`namespaces`]}]}}");
  EXPECT_EQ(server_.Do("POST", "/api/v1/nodes", Map("n")).status, 201);
  EXPECT_EQ(server_.Do("POST", "/api/v1/namespaces", Map("n")).status, 201);
}

TEST_F(AdmissionPolicies, ThemselvesAreNotSubjectToPolicies) {
  Policy("p",
         "{`validations`:[{`expression`:`false`}],`matchConstraints`:{`resourceRules`:["
         "{`operations`:[`*`],`apiGroups`:[`*`],`apiVersions`:[`*`],`resources`:[`*`]}]}}");
  EXPECT_EQ(Post(Map("x")).status, 422);
  EXPECT_EQ(server_.Do("DELETE", std::string(kGroup) + "validatingadmissionpolicies/p").status,
            200);
}

TEST_F(AdmissionPolicies, APolicyForAnotherVersion_SeesThatVersionUnlessExact) {
  const auto policy = [&](const std::string& match) {
    Policy("p",
           "{`validations`:[{`expression`:`object.apiVersion == 'autoscaling/v1'`}],"
           "`matchConstraints`:{`matchPolicy`:`" +
               match +
               "`,`resourceRules`:[{`operations`:[`*`],`apiGroups`:[`autoscaling`],"
               "`apiVersions`:[`v2`],`resources`:[`horizontalpodautoscalers`]}]}}");
  };
  const auto post = [&] {
    return server_
        .Do("POST", "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers?dryRun=All",
            R"({"metadata":{"name":"x"},"spec":{"maxReplicas":3,"scaleTargetRef":{"apiVersion":
               "apps/v1","kind":"Deployment","name":"d"}}})")
        .status;
  };
  policy("Exact");
  EXPECT_EQ(post(), 201);
  Remove("p");
  policy("Equivalent");
  EXPECT_EQ(post(), 422);
}

TEST_F(AdmissionPolicies, ALargeObject_IsCheckedOffTheLoop) {
  Policy("p", "{`validations`:[{`expression`:`object.data.a.size() > 40000`}]}");
  const auto map = [](std::size_t size) {
    return Map("x", R"(,"data":{"a":")" + std::string(size, 'a') + "\"}");
  };
  EXPECT_THAT(Refused(map(40'000)), HasSubstr("failed expression: object.data.a.size() > 40000"));
  EXPECT_EQ(Refused(map(40'001)), "");
}

TEST_F(AdmissionPolicies, AFaultyPolicyIsRefusedWhenItIsWritten) {
  const Reply policy =
      Send("validatingadmissionpolicies", "p", Spec("{`validations`:[{`expression`:`object.`}]}"));
  EXPECT_EQ(policy.status, 422);
  EXPECT_THAT(policy.Json()["message"].StringOrEmpty(),
              StartsWith("ValidatingAdmissionPolicy.admissionregistration.k8s.io \"p\" is invalid: "
                         "spec.validations[0].expression: Invalid value: \"object.\": compilation "
                         "failed: ERROR: <input>:1:8: Syntax error"));
  const Reply binding = Send("validatingadmissionpolicybindings", "b",
                             Ticked("{`policyName`:`p`,`validationActions`:[`Deny`,`Warn`]}"));
  EXPECT_EQ(binding.status, 422);
  EXPECT_THAT(binding.Json()["message"].StringOrEmpty(),
              HasSubstr("must not contain both Deny and Warn"));
}

class WithoutPolicies : public PolicyFixture {
 protected:
  WithoutPolicies() : PolicyFixture({.disable_admission_plugins = {"ValidatingAdmissionPolicy"}}) {}
};

TEST_F(WithoutPolicies, APolicy_HasNoEffect) {
  Policy("p", "{`validations`:[{`expression`:`false`}]}");
  EXPECT_EQ(Post(Map("x")).status, 201);
}

}  // namespace
}  // namespace kinformer::apiserver::testing
