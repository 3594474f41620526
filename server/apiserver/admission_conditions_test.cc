#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/testing/admission_fixture.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::HasSubstr;

class AdmissionConditions : public AdmissionWebhooksTest {
 protected:
  static std::string Condition(const std::string& expression, const std::string& more = "") {
    return R"({"matchConditions":[{"name":"n","expression":")" + expression + "\"}]" + more + "}";
  }
  std::size_t Asked(const std::string& name) { return At(name).asked.size(); }
};

TEST_F(AdmissionConditions, AWebhookIsAskedIfAllAreTrue) {
  At("a");
  At("b");
  Validating("a", Condition("object.metadata.name == 'x'"));
  Mutating("b", Condition("request.operation == 'UPDATE' && oldObject.metadata.name == 'x'"));
  EXPECT_EQ(Post(Map("x")).status, 201);
  EXPECT_EQ(Asked("a"), 1U);
  EXPECT_EQ(Asked("b"), 0U);
  EXPECT_EQ(Post(Map("y")).status, 201);
  EXPECT_EQ(Asked("a"), 1U);
  EXPECT_EQ(server_
                .Do("PATCH", std::string(kMaps) + "/x", R"({"data":{"a":"b"}})",
                    {{"Content-Type", "application/merge-patch+json"}})
                .status,
            200);
  EXPECT_EQ(Asked("b"), 1U);
}

TEST_F(AdmissionConditions, RequestAndAuthorizerAreThoseOfTheRequest) {
  for (const char* expression :
       {"request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps'",
        "request.namespace == 'default' && request.name == 'x' && !request.dryRun",
        "!has(request.subResource) && request.options.kind == 'CreateOptions'",
        "authorizer.requestResource.check('delete').allowed()", "namespaceObject == null"}) {
    Validating("a", Condition(expression));
    At("a").asked.clear();
    EXPECT_EQ(Post(Map("x")).status, 201) << expression;
    EXPECT_EQ(Asked("a"), 1U) << expression;
    server_.Do("DELETE", std::string(kMaps) + "/x");
    server_.Do("DELETE", std::string(kConfigurations) + "validatingwebhookconfigurations/a");
  }
}

TEST_F(AdmissionConditions, AnErrorIsAMatterOfTheFailurePolicy) {
  for (const bool mutates : {false, true}) {
    const std::string expression = "object.data.a == 'b'";
    const auto configure = [&](const std::string& more) {
      mutates ? Mutating("a", Condition(expression, more))
              : Validating("a", Condition(expression, more));
    };
    configure("");
    const Reply refused = Post(Map("x"));
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.Json()["message"].StringOrEmpty(),
              "configmaps \"x\" is forbidden: expression 'object.data.a == 'b'' resulted in error: "
              "no such key: data");
    const std::string plural = mutates ? "mutating" : "validating";
    server_.Do("DELETE", std::string(kConfigurations) + plural + "webhookconfigurations/a");
    configure(R"(,"failurePolicy":"Ignore")");
    EXPECT_EQ(Post(Map("x")).status, 201);
    EXPECT_EQ(Asked("a"), 0U);
    server_.Do("DELETE", std::string(kConfigurations) + plural + "webhookconfigurations/a");
    server_.Do("DELETE", std::string(kMaps) + "/x");
  }
}

TEST_F(AdmissionConditions, AMutatingWebhookSeesWhatTheOneBeforeItHasChanged) {
  At("b");
  At("a").answer = [](const json::Value&) {
    return PatchWith(R"([{"op":"add","path":"/data","value":{"k":"v"}}])");
  };
  Mutating("a");
  Mutating("b", Condition("has(object.data) && object.data.k == 'v'"));
  EXPECT_EQ(Post(Map("x")).status, 201);
  EXPECT_EQ(Asked("b"), 1U);
}

TEST_F(AdmissionConditions, AFaultyExpressionIsRefusedWhenItIsWritten) {
  const Reply reply =
      server_.Do("POST", std::string(kConfigurations) + "validatingwebhookconfigurations",
                 R"({"metadata":{"name":"a"},"webhooks":[{"name":"a.example.com",
        "sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://a"},
        "matchConditions":[{"name":"n","expression":"object >"}]}]})");
  EXPECT_EQ(reply.status, 422);
  EXPECT_THAT(reply.Json()["message"].StringOrEmpty(),
              HasSubstr("ValidatingWebhookConfiguration.admissionregistration.k8s.io \"a\" is "
                        "invalid: webhooks[0].matchConditions[0].expression: Invalid value: "
                        "\"object >\": compilation failed: ERROR: <input>:1:9: Syntax error"));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
