#include "apiserver/admission/request_match.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "apiserver/registry/defined_resource.h"
#include "apiserver/registry/selection.h"

namespace kinformer::apiserver {
namespace {

// Returns other resources and versions with the same objects: other versions of a custom resource,
// served or not, and built-in resources that share a store. Only those with the request's
// subresource, in the order of the definition.
std::vector<ResourceAt> EquivalentsOf(const ServerState& state,
                                      const AdmissionAttributes& attributes) {
  const ResourceAt& at = attributes.at;
  std::vector<ResourceAt> out;
  const auto add = [&](ResourceAt other) {
    const std::string& sub = attributes.subresource;
    if (other.version == at.version) return;
    if (sub.empty() || other.FindSubresource(sub) != nullptr) out.push_back(std::move(other));
  };
  if (at.resource->custom) {
    for (const auto& version : at.resource->defined->listed) add({at.resource, version});
    return out;
  }
  for (const auto& resource : state.resources.all()) {
    if (resource->store == at.resource->store) add({resource, resource->versions.front()});
  }
  return out;
}

RuleSubject SubjectIn(const ResourceAt& at, const AdmissionAttributes& attributes) {
  return {.operation = attributes.operation,
          .group = at.resource->group,
          .version = at.version->version,
          .resource = at.resource->plural,
          .subresource = attributes.subresource,
          .namespaced = at.resource->namespaced};
}

bool Matches(const WebhookRule& rule, const ResourceAt& at, const AdmissionAttributes& attributes) {
  return RuleMatches(rule, SubjectIn(at, attributes));
}
bool Matches(const NamedRule& rule, const ResourceAt& at, const AdmissionAttributes& attributes) {
  return Matches(rule.rule, at, attributes) &&
         (rule.names.empty() || std::ranges::find(rule.names, attributes.name) != rule.names.end());
}

template <class Rule>
ResourceAt PlaceAmong(std::span<const Rule> rules, bool exact,
                      const AdmissionAttributes& attributes,
                      const std::vector<ResourceAt>& equivalents) {
  for (const Rule& rule : rules) {
    if (Matches(rule, attributes.at, attributes)) return attributes.at;
  }
  if (exact) return {};
  for (const Rule& rule : rules) {
    for (const ResourceAt& at : equivalents) {
      if (Matches(rule, at, attributes)) return at;
    }
  }
  return {};
}

std::vector<NamedRule> NamedRulesOf(const json::Value& list) {
  std::vector<NamedRule> out;
  for (const json::Value& said : list.items()) {
    out.push_back({.rule = RuleOf(said), .names = TextsOf(said["resourceNames"])});
  }
  return out;
}

}  // namespace

MatchResources MatchResources::Of(const json::Value& said) {
  return {.rules = NamedRulesOf(said["resourceRules"]),
          .excluded = NamedRulesOf(said["excludeResourceRules"]),
          .namespaces = SelectorOf(said["namespaceSelector"]),
          .objects = SelectorOf(said["objectSelector"]),
          .exact = said["matchPolicy"].StringOrEmpty() == "Exact"};
}

RequestMatch::RequestMatch(const ServerState& state, const AdmissionAttributes& attributes)
    : state_(state), attributes_(attributes), equivalents_(EquivalentsOf(state, attributes)) {}

ResourceAt RequestMatch::PlaceFor(std::span<const WebhookRule> rules, bool exact) const {
  return PlaceAmong(rules, exact, attributes_, equivalents_);
}
ResourceAt RequestMatch::PlaceFor(std::span<const NamedRule> rules, bool exact) const {
  return PlaceAmong(rules, exact, attributes_, equivalents_);
}

ResourceAt RequestMatch::PlaceFor(const MatchResources& resources) const {
  if (!InNamespace(resources.namespaces) || !HasLabels(resources.objects)) return {};
  if (PlaceFor(std::span<const NamedRule>(resources.excluded), resources.exact)) return {};
  if (resources.rules.empty()) return attributes_.at;
  return PlaceFor(std::span<const NamedRule>(resources.rules), resources.exact);
}

bool RequestMatch::InNamespace(const LabelSelector& selector) const {
  if (selector.MatchesEverything()) return true;
  const ServedResource& resource = *attributes_.at.resource;
  const bool is_namespace = resource.Is("", "namespaces");
  if (!resource.namespaced && !is_namespace) return true;
  // For a write of a namespace, the labels of the new object apply.
  if (is_namespace && attributes_.subresource.empty() && attributes_.operation != "DELETE") {
    return MatchesLabels(selector, attributes_.object.At("/metadata/labels"));
  }
  const auto namespaces = state_.resources.FindGroupResource("", "namespaces");
  const StoredObjectPtr stored =
      namespaces->Find("", is_namespace ? attributes_.name : attributes_.namespace_);
  return stored == nullptr ? MatchesLabels(selector, json::Value())
                           : MatchesLabels(selector, *stored);
}

bool RequestMatch::HasLabels(const LabelSelector& selector) const {
  return MatchesEither(selector, attributes_.object, attributes_.old);
}

bool MatchesEither(const LabelSelector& selector, const json::Value& object,
                   const json::Value& old) {
  const auto fits = [&](const json::Value& one) {
    return !one.is_null() && MatchesLabels(selector, one.At("/metadata/labels"));
  };
  return selector.MatchesEverything() || fits(object) || fits(old);
}

}  // namespace kinformer::apiserver
