// apiserver/testing/policy_fixture.h
//
// PolicyFixture: a server to which admission policies are written in short form.

#ifndef KINFORMER_APISERVER_TESTING_POLICY_FIXTURE_H_
#define KINFORMER_APISERVER_TESTING_POLICY_FIXTURE_H_

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {

class PolicyFixture : public ::testing::Test {
 protected:
  static constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";
  static constexpr std::string_view kGroup = "/apis/admissionregistration.k8s.io/v1/";

  explicit PolicyFixture(ApiServerOptions options = {}) : server_(std::move(options)) {}

  // Parses JSON that has ` in place of ", so that expressions can have quotes.
  static json::Value Ticked(std::string text) {
    for (char& c : text) c = c == '`' ? '"' : c;
    return Json(text);
  }
  static std::string Map(const std::string& name, const std::string& more = "") {
    return R"({"metadata":{"name":")" + name + "\"}" + more + "}";
  }

  Reply Send(const std::string& plural, const std::string& name, json::Value spec) {
    return server_.Do(
        "POST", std::string(kGroup) + plural,
        json::Value::MakeObject(
            {{"metadata", json::Value::MakeObject({{"name", name}})}, {"spec", std::move(spec)}})
            .Dump());
  }

  // Returns a spec for all ConfigMaps, with `more` merged over it.
  static json::Value Spec(const std::string& more) {
    json::Value spec = Ticked(
        "{`matchConstraints`:{`resourceRules`:[{`operations`:[`*`],`apiGroups`:[``],"
        "`apiVersions`:[`v1`],`resources`:[`configmaps`]}]}}");
    spec.MergePatch(Ticked(more));
    return spec;
  }

  // Makes a policy for ConfigMaps and its binding, of the same name.
  void Policy(const std::string& name, const std::string& more, const std::string& binding = "{}") {
    const Reply policy = Send("validatingadmissionpolicies", name, Spec(more));
    ASSERT_EQ(policy.status, 201) << policy.body;
    Bind(name, name, binding);
  }
  void Bind(const std::string& name, const std::string& policy, const std::string& more = "{}") {
    json::Value spec = Ticked("{`policyName`:`" + policy + "`,`validationActions`:[`Deny`]}");
    spec.MergePatch(Ticked(more));
    const Reply made = Send("validatingadmissionpolicybindings", name, std::move(spec));
    ASSERT_EQ(made.status, 201) << made.body;
  }
  void Remove(const std::string& name) {
    server_.Do("DELETE", std::string(kGroup) + "validatingadmissionpolicybindings/" + name);
    server_.Do("DELETE", std::string(kGroup) + "validatingadmissionpolicies/" + name);
  }

  Reply Post(const std::string& body, const std::string& query = "") {
    return server_.Do("POST", std::string(kMaps) + query, body);
  }
  // Returns the message of the refusal of a ConfigMap; empty if it is admitted. Nothing is stored.
  std::string Refused(const std::string& body) {
    const Reply reply = Post(body, "?dryRun=All");
    return reply.status == 201 ? std::string() : reply.Json()["message"].StringOrEmpty();
  }

  TestServer server_;
};

}  // namespace kinformer::apiserver::testing

#endif  // KINFORMER_APISERVER_TESTING_POLICY_FIXTURE_H_
