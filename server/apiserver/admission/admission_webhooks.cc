#include "apiserver/admission/admission_webhooks.h"

#include <utility>

#include "apiserver/admission/admission_run.h"
#include "apiserver/registry/defined_resource.h"
#include "apiserver/registry/selection.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";

std::shared_ptr<ServedResource> ConfigurationsOf(const ServerState& state, AdmissionPhase phase) {
  return state.resources.FindGroupResource(kGroup, phase == AdmissionPhase::kMutate
                                                       ? "mutatingwebhookconfigurations"
                                                       : "validatingwebhookconfigurations");
}

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

// Returns the resource and version at which the webhook's rules match: that of the request, or else
// the first equivalent that a rule matches. Empty if none does.
ResourceAt PlaceFor(const Webhook& webhook, const AdmissionAttributes& attributes,
                    const std::vector<ResourceAt>& equivalents) {
  const auto matches = [&](const WebhookRule& rule, const ResourceAt& at) {
    return RuleMatches(rule, SubjectIn(at, attributes));
  };
  for (const WebhookRule& rule : webhook.rules) {
    if (matches(rule, attributes.at)) return attributes.at;
  }
  if (webhook.exact) return {};
  for (const WebhookRule& rule : webhook.rules) {
    for (const ResourceAt& at : equivalents) {
      if (matches(rule, at)) return at;
    }
  }
  return {};
}

}  // namespace

bool AdmissionWebhooks::Any(AdmissionPhase phase) const {
  const auto resource = ConfigurationsOf(parts_.state, phase);
  return resource != nullptr && resource->store->size() > 0;
}

const AdmissionWebhooks::Configurations& AdmissionWebhooks::Stored(AdmissionPhase phase) {
  Configurations& known = phase == AdmissionPhase::kMutate ? mutating_ : validating_;
  Configurations now;
  ConfigurationsOf(parts_.state, phase)
      ->store->Walk({}, {}, parts_.state.resource_version, [&](const StoredObjectPtr& stored) {
        const auto found = known.find(stored->name());
        const bool same = found != known.end() && found->second.stored == stored;
        now.emplace(stored->name(), same ? std::move(found->second)
                                         : Configuration{.stored = stored,
                                                         .webhooks = WebhooksOf(stored->Parse())});
        return true;
      });
  known = std::move(now);
  return known;
}

bool AdmissionWebhooks::InNamespace(const Webhook& webhook,
                                    const AdmissionAttributes& attributes) const {
  if (webhook.namespaces.MatchesEverything()) return true;
  const ServedResource& resource = *attributes.at.resource;
  const bool is_namespace = resource.Is("", "namespaces");
  if (!resource.namespaced && !is_namespace) return true;
  // For a write of a namespace, the labels of the new object apply.
  if (is_namespace && attributes.subresource.empty() && attributes.operation != "DELETE") {
    return MatchesLabels(webhook.namespaces, attributes.object.At("/metadata/labels"));
  }
  const auto namespaces = parts_.state.resources.FindGroupResource("", "namespaces");
  const StoredObjectPtr stored =
      namespaces->Find("", is_namespace ? attributes.name : attributes.namespace_);
  return stored == nullptr ? MatchesLabels(webhook.namespaces, json::Value())
                           : MatchesLabels(webhook.namespaces, *stored);
}

std::vector<AdmissionQuestionFor> AdmissionWebhooks::Concerned(
    AdmissionPhase phase, const AdmissionAttributes& attributes) {
  std::vector<AdmissionQuestionFor> out;
  // Exempt, since a webhook that refuses everything could otherwise not be removed.
  if (attributes.at.resource->group == kGroup && !attributes.at.resource->custom) return out;
  const std::vector<ResourceAt> equivalents = EquivalentsOf(parts_.state, attributes);
  for (const auto& [name, configuration] : Stored(phase)) {
    for (const WebhookPtr& webhook : configuration.webhooks) {
      ResourceAt at = PlaceFor(*webhook, attributes, equivalents);
      if (at && InNamespace(*webhook, attributes)) out.push_back({webhook, std::move(at)});
    }
  }
  return out;
}

Task<AdmissionOutcome> AdmissionWebhooks::Ask(AdmissionPhase phase,
                                              std::shared_ptr<AdmissionAttributes> attributes,
                                              std::vector<AdmissionQuestionFor> questions) {
  return phase == AdmissionPhase::kMutate
             ? AskInTurn(parts_, std::move(attributes), std::move(questions))
             : AskAtOnce(parts_, std::move(attributes), std::move(questions));
}

}  // namespace kinformer::apiserver
