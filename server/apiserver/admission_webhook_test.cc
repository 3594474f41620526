// Webhooks of a configuration, and the requests that their rules match.

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission/webhook.h"
#include "apiserver/registry/selection.h"
#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::seconds;

Webhook Parse(std::string_view webhook) {
  const json::Value configuration =
      json::Value::MakeObject({{"webhooks", json::Value::MakeArray({Json(webhook)})}});
  const std::vector<WebhookPtr> webhooks = WebhooksOf(configuration);
  EXPECT_EQ(webhooks.size(), 1U);
  return *webhooks.at(0);
}

TEST(AdmissionWebhook, OmittedFields_HaveTheirDefaults) {
  const Webhook webhook = Parse(R"({"name":"a.b.c","clientConfig":{"url":"https://h/p"}})");
  EXPECT_EQ(webhook.name, "a.b.c");
  EXPECT_EQ(webhook.place.Url(), "https://h/p?timeout=10s");
  EXPECT_TRUE(webhook.rules.empty());
  EXPECT_TRUE(webhook.namespaces.MatchesEverything());
  EXPECT_TRUE(webhook.objects.MatchesEverything());
  EXPECT_FALSE(webhook.exact);
  EXPECT_FALSE(webhook.ignores);
  EXPECT_TRUE(webhook.side_effects);
  EXPECT_FALSE(webhook.again);
  EXPECT_EQ(webhook.review, "admission.k8s.io/v1");
  EXPECT_TRUE(WebhooksOf(Json("{}")).empty());
}

TEST(AdmissionWebhook, SentFields_AreTaken) {
  const Webhook webhook = Parse(R"({"name":"a.b.c","clientConfig":{"url":"https://h/p"},
      "timeoutSeconds":3,"namespaceSelector":{"matchLabels":{"a":"b"}},
      "objectSelector":{"matchLabels":{"c":"d"}},"matchPolicy":"Exact","failurePolicy":"Ignore",
      "reinvocationPolicy":"IfNeeded","sideEffects":"None",
      "admissionReviewVersions":["v2","v1beta1","v1"],
      "rules":[{"operations":["CREATE","UPDATE"],"apiGroups":["g"],"apiVersions":["v1","v2"],
                "resources":["pods"],"scope":"Cluster"}]})");
  EXPECT_EQ(webhook.place.timeout, seconds(3));
  EXPECT_TRUE(MatchesLabels(webhook.namespaces, Json(R"({"a":"b"})")));
  EXPECT_FALSE(MatchesLabels(webhook.namespaces, Json(R"({"c":"d"})")));
  EXPECT_TRUE(MatchesLabels(webhook.objects, Json(R"({"c":"d"})")));
  EXPECT_FALSE(MatchesLabels(webhook.objects, Json(R"({"a":"b"})")));
  EXPECT_TRUE(webhook.exact);
  EXPECT_TRUE(webhook.ignores);
  EXPECT_TRUE(webhook.again);
  EXPECT_FALSE(webhook.side_effects);
  EXPECT_EQ(webhook.review, "admission.k8s.io/v1beta1");
  ASSERT_EQ(webhook.rules.size(), 1U);
  const WebhookRule& rule = webhook.rules[0];
  EXPECT_EQ(rule.operations, (std::vector<std::string>{"CREATE", "UPDATE"}));
  EXPECT_EQ(rule.groups, std::vector<std::string>{"g"});
  EXPECT_EQ(rule.versions, (std::vector<std::string>{"v1", "v2"}));
  EXPECT_EQ(rule.resources, std::vector<std::string>{"pods"});
  EXPECT_EQ(rule.scope, "Cluster");
}

TEST(AdmissionWebhook, OtherValues_AreTheOppositeOfSpecialOnes) {
  const Webhook webhook = Parse(R"({"matchPolicy":"Equivalent","failurePolicy":"Fail",
      "reinvocationPolicy":"Never","sideEffects":"NoneOnDryRun","admissionReviewVersions":["v1",
      "v1beta1"]})");
  EXPECT_FALSE(webhook.exact);
  EXPECT_FALSE(webhook.ignores);
  EXPECT_FALSE(webhook.again);
  EXPECT_FALSE(webhook.side_effects);
  EXPECT_EQ(webhook.review, "admission.k8s.io/v1");
  EXPECT_TRUE(Parse(R"({"sideEffects":"Some"})").side_effects);
  EXPECT_TRUE(Parse(R"({"sideEffects":"Unknown"})").side_effects);
  EXPECT_EQ(Parse(R"({"admissionReviewVersions":["v2"]})").review, "admission.k8s.io/v1");
}

TEST(AdmissionWebhook, Rule_MatchesOperationGroupVersionResourceAndScope) {
  struct Row {
    WebhookRule rule;
    RuleSubject subject;
    bool matches;
  };
  const RuleSubject pod{.operation = "CREATE",
                        .group = "",
                        .version = "v1",
                        .resource = "pods",
                        .subresource = "",
                        .namespaced = true};
  RuleSubject status = pod;
  status.subresource = "status";
  RuleSubject node = pod;
  node.resource = "nodes";
  node.namespaced = false;
  RuleSubject scale = pod;
  scale.group = "apps";
  scale.resource = "deployments";
  scale.subresource = "scale";
  const WebhookRule all{
      .operations = {"*"}, .groups = {"*"}, .versions = {"*"}, .resources = {"*/*"}, .scope = "*"};
  const auto with = [](WebhookRule rule, std::vector<std::string> WebhookRule::* member,
                       std::vector<std::string> value) {
    rule.*member = std::move(value);
    return rule;
  };
  const auto scoped = [&](std::string scope) {
    WebhookRule rule = all;
    rule.scope = std::move(scope);
    return rule;
  };
  const std::vector<Row> rows = {
      {all, pod, true},
      {all, status, true},
      {all, node, true},
      {scoped(""), pod, true},
      {scoped(""), node, true},
      {scoped("Namespaced"), pod, true},
      {scoped("Namespaced"), node, false},
      {scoped("Cluster"), pod, false},
      {scoped("Cluster"), node, true},
      {with(all, &WebhookRule::operations, {"CREATE"}), pod, true},
      {with(all, &WebhookRule::operations, {"DELETE", "CREATE"}), pod, true},
      {with(all, &WebhookRule::operations, {"DELETE", "*"}), pod, true},
      {with(all, &WebhookRule::operations, {"DELETE"}), pod, false},
      {with(all, &WebhookRule::operations, {}), pod, false},
      {with(all, &WebhookRule::groups, {""}), pod, true},
      {with(all, &WebhookRule::groups, {"apps"}), pod, false},
      {with(all, &WebhookRule::groups, {"apps"}), scale, true},
      {with(all, &WebhookRule::versions, {"v1"}), pod, true},
      {with(all, &WebhookRule::versions, {"v2"}), pod, false},
      {with(all, &WebhookRule::resources, {"pods"}), pod, true},
      {with(all, &WebhookRule::resources, {"pods"}), status, false},
      {with(all, &WebhookRule::resources, {"pods"}), node, false},
      {with(all, &WebhookRule::resources, {"*"}), node, true},
      {with(all, &WebhookRule::resources, {"*"}), status, false},
      {with(all, &WebhookRule::resources, {"pods/*"}), pod, true},
      {with(all, &WebhookRule::resources, {"pods/*"}), status, true},
      {with(all, &WebhookRule::resources, {"pods/*"}), scale, false},
      {with(all, &WebhookRule::resources, {"pods/status"}), status, true},
      {with(all, &WebhookRule::resources, {"pods/status"}), pod, false},
      {with(all, &WebhookRule::resources, {"pods/log", "*/status"}), status, true},
      {with(all, &WebhookRule::resources, {"*/scale"}), scale, true},
      {with(all, &WebhookRule::resources, {"*/scale"}), status, false},
      {with(all, &WebhookRule::resources, {}), pod, false},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(RuleMatches(rows[i].rule, rows[i].subject), rows[i].matches) << "row " << i;
  }
}

}  // namespace
}  // namespace kinformer::apiserver::testing
