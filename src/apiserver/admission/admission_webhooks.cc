#include "apiserver/admission/admission_webhooks.h"

#include <utility>

#include "apiserver/admission/admission_run.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/selection.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";

std::shared_ptr<ServedResource> ConfigurationsOf(const ServerState& state, AdmissionPhase phase) {
  return state.resources.FindGroupResource(kGroup, phase == AdmissionPhase::kMutate
                                                       ? "mutatingwebhookconfigurations"
                                                       : "validatingwebhookconfigurations");
}

// The versions in which the request can be shown, that of the request first.
std::vector<ResourceAt> Equivalents(const ResourceAt& at) {
  std::vector<ResourceAt> out{at};
  // A webhook would have to be asked to show it in another one.
  if (at.resource->custom && at.resource->defined->webhook != nullptr) return out;
  for (const auto& version : at.resource->versions) {
    if (version->served && version != at.version) out.push_back({at.resource, version});
  }
  if (at.version->conversion != nullptr) out.push_back(StoredAt(at));
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

}  // namespace

bool AdmissionWebhooks::Any(AdmissionPhase phase) const {
  const auto resource = ConfigurationsOf(state_, phase);
  return resource != nullptr && resource->store->size() > 0;
}

const AdmissionWebhooks::Configurations& AdmissionWebhooks::Stored(AdmissionPhase phase) {
  Configurations& known = phase == AdmissionPhase::kMutate ? mutating_ : validating_;
  Configurations now;
  ConfigurationsOf(state_, phase)
      ->store->Walk({}, {}, state_.resource_version, [&](const StoredObjectPtr& stored) {
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
  if (resource.Is("", "namespaces")) {
    const json::Value& object = attributes.object.is_null() ? attributes.old : attributes.object;
    return MatchesLabels(webhook.namespaces, object.At("/metadata/labels"));
  }
  if (!resource.namespaced) return true;
  const auto namespaces = state_.resources.FindGroupResource("", "namespaces");
  const StoredObjectPtr stored = namespaces->Find("", attributes.namespace_);
  return stored == nullptr ? MatchesLabels(webhook.namespaces, json::Value())
                           : MatchesLabels(webhook.namespaces, *stored);
}

std::vector<AdmissionQuestionFor> AdmissionWebhooks::Concerned(
    AdmissionPhase phase, const AdmissionAttributes& attributes) {
  std::vector<AdmissionQuestionFor> out;
  // A webhook that refused everything could not be got rid of.
  if (attributes.at.resource->group == kGroup && !attributes.at.resource->custom) return out;
  const std::vector<ResourceAt> equivalents = Equivalents(attributes.at);
  for (const auto& [name, configuration] : Stored(phase)) {
    for (const WebhookPtr& webhook : configuration.webhooks) {
      for (const ResourceAt& at : equivalents) {
        if (RulesMatch(*webhook, SubjectIn(at, attributes))) {
          if (InNamespace(*webhook, attributes)) out.push_back({webhook, at});
          break;
        }
        if (webhook->exact) break;
      }
    }
  }
  return out;
}

AdmissionWebhooks::Ticket AdmissionWebhooks::Ask(AdmissionPhase phase,
                                                 std::shared_ptr<AdmissionAttributes> attributes,
                                                 std::vector<AdmissionQuestionFor> questions,
                                                 Done done) {
  return phase == AdmissionPhase::kMutate
             ? AskInTurn(state_, std::move(attributes), std::move(questions), std::move(done))
             : AskAtOnce(state_, std::move(attributes), std::move(questions), std::move(done));
}

}  // namespace kinformer::apiserver
