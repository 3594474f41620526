#include "apiserver/admission/admission_webhooks.h"

#include <utility>

#include "apiserver/admission/admission_run.h"
#include "apiserver/admission/request_match.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";

std::shared_ptr<ServedResource> ConfigurationsOf(const ServerState& state, AdmissionPhase phase) {
  return state.resources.FindGroupResource(kGroup, phase == AdmissionPhase::kMutate
                                                       ? "mutatingwebhookconfigurations"
                                                       : "validatingwebhookconfigurations");
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

std::vector<AdmissionQuestionFor> AdmissionWebhooks::Concerned(
    AdmissionPhase phase, const AdmissionAttributes& attributes) {
  std::vector<AdmissionQuestionFor> out;
  // Exempt, since a webhook that refuses everything could otherwise not be removed.
  if (attributes.at.resource->group == kGroup && !attributes.at.resource->custom) return out;
  const RequestMatch match(parts_.state, attributes);
  for (const auto& [name, configuration] : Stored(phase)) {
    for (const WebhookPtr& webhook : configuration.webhooks) {
      ResourceAt at = match.PlaceFor(webhook->rules, webhook->exact);
      if (at && match.InNamespace(webhook->namespaces)) out.push_back({webhook, std::move(at)});
    }
  }
  return out;
}

Task<AdmissionOutcome> AdmissionWebhooks::Ask(AdmissionPhase phase,
                                              std::shared_ptr<AdmissionAttributes> attributes,
                                              std::vector<AdmissionQuestionFor> questions,
                                              BetweenRounds between) {
  return phase == AdmissionPhase::kMutate
             ? AskInTurn(parts_, std::move(attributes), std::move(questions), std::move(between))
             : AskAtOnce(parts_, std::move(attributes), std::move(questions));
}

}  // namespace kinformer::apiserver
