#include "apiserver/admission/webhook.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "apiserver/expressions/match_condition.h"
#include "apiserver/registry/selection.h"

namespace kinformer::apiserver {
namespace {

constexpr std::int64_t kDefaultSeconds = 10;

bool Has(const std::vector<std::string>& list, std::string_view value) {
  return std::ranges::find(list, "*") != list.end() || std::ranges::find(list, value) != list.end();
}

std::string ReviewVersion(const json::Value& versions) {
  for (const json::Value& version : versions.items()) {
    const std::string& text = version.StringOrEmpty();
    if (text == "v1" || text == "v1beta1") return "admission.k8s.io/" + text;
  }
  return "admission.k8s.io/v1";
}

WebhookPtr WebhookOf(const json::Value& said) {
  Webhook webhook{
      .name = said["name"].StringOrEmpty(),
      .place =
          PlaceOf(said["clientConfig"],
                  std::chrono::seconds(said["timeoutSeconds"].AsInt64().value_or(kDefaultSeconds))),
      .namespaces = SelectorOf(said["namespaceSelector"]),
      .objects = SelectorOf(said["objectSelector"]),
      .exact = said["matchPolicy"].StringOrEmpty() == "Exact",
      .ignores = said["failurePolicy"].StringOrEmpty() == "Ignore",
      .again = said["reinvocationPolicy"].StringOrEmpty() == "IfNeeded",
      .review = ReviewVersion(said["admissionReviewVersions"]),
      .conditions = MatchConditionsOf(said["matchConditions"], /*params=*/false)};
  const std::string& effects = said["sideEffects"].StringOrEmpty();
  webhook.side_effects = effects != "None" && effects != "NoneOnDryRun";
  for (const json::Value& rule : said["rules"].items()) {
    webhook.rules.push_back(RuleOf(rule));
  }
  return std::make_shared<const Webhook>(std::move(webhook));
}

bool ResourceMatches(const std::vector<std::string>& resources, const RuleSubject& subject) {
  const auto fits = [](std::string_view said, std::string_view name) {
    return said == "*" || said == name;
  };
  return std::ranges::any_of(resources, [&](std::string_view said) {
    const std::size_t slash = said.find('/');
    const std::string_view sub =
        slash == std::string_view::npos ? std::string_view() : said.substr(slash + 1);
    return fits(said.substr(0, slash), subject.resource) && fits(sub, subject.subresource);
  });
}

}  // namespace

std::vector<std::string> TextsOf(const json::Value& list) {
  std::vector<std::string> out;
  for (const json::Value& item : list.items()) out.push_back(item.StringOrEmpty());
  return out;
}

LabelSelector SelectorOf(const json::Value& selector) {
  return LabelSelector::Parse(SelectorText(selector)).value_or(LabelSelector::Nothing());
}

WebhookRule RuleOf(const json::Value& said) {
  return {.operations = TextsOf(said["operations"]),
          .groups = TextsOf(said["apiGroups"]),
          .versions = TextsOf(said["apiVersions"]),
          .resources = TextsOf(said["resources"]),
          .scope = said["scope"].StringOrEmpty()};
}

std::vector<WebhookPtr> WebhooksOf(const json::Value& configuration) {
  std::vector<WebhookPtr> out;
  for (const json::Value& said : configuration["webhooks"].items()) out.push_back(WebhookOf(said));
  return out;
}

bool RuleMatches(const WebhookRule& rule, const RuleSubject& subject) {
  const bool scope =
      rule.scope.empty() || rule.scope == "*" || (rule.scope == "Namespaced") == subject.namespaced;
  return scope && Has(rule.operations, subject.operation) && Has(rule.groups, subject.group) &&
         Has(rule.versions, subject.version) && ResourceMatches(rule.resources, subject);
}

}  // namespace kinformer::apiserver
