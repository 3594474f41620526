// apiserver/admission/webhook.h
//
// Webhook: one webhook of a Validating- or MutatingWebhookConfiguration.

#ifndef KINFORMER_APISERVER_ADMISSION_WEBHOOK_H_
#define KINFORMER_APISERVER_ADMISSION_WEBHOOK_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"
#include "kinformer/object/label_selector.h"

#include "apiserver/expressions/admission_expression.h"
#include "apiserver/registry/webhook_place.h"

namespace kinformer::apiserver {

// Matches the requests to send to a webhook; "*" matches everything.
struct WebhookRule {
  std::vector<std::string> operations{};
  std::vector<std::string> groups{};
  std::vector<std::string> versions{};
  std::vector<std::string> resources{};  // "pods", "pods/status", "*/scale", "*/*"
  std::string scope{};
};

// Immutable. Omitted fields have the defaults of admissionregistration/v1.
struct Webhook {
  std::string name{};
  WebhookPlace place{};
  std::vector<WebhookRule> rules{};
  LabelSelector namespaces{};
  LabelSelector objects{};
  bool exact = false;         // matchPolicy
  bool ignores = false;       // failurePolicy Ignore: a failed call counts as allowed
  bool side_effects = false;  // the webhook must not be called for dry runs
  bool again = false;         // reinvocationPolicy IfNeeded
  std::string review{};       // "admission.k8s.io/v1"
  std::vector<AdmissionExpression> conditions{};  // matchConditions
};

using WebhookPtr = std::shared_ptr<const Webhook>;

// Parses the webhooks of a stored configuration, in its order.
std::vector<WebhookPtr> WebhooksOf(const json::Value& configuration);

// Return parts of stored objects. An absent selector selects everything, as an empty one does.
[[nodiscard]] std::vector<std::string> TextsOf(const json::Value& list);
[[nodiscard]] LabelSelector SelectorOf(const json::Value& selector);
[[nodiscard]] WebhookRule RuleOf(const json::Value& said);

// Properties of a request that rules match against.
struct RuleSubject {
  std::string_view operation{};
  std::string_view group{};
  std::string_view version{};
  std::string_view resource{};
  std::string_view subresource{};
  bool namespaced = false;
};
[[nodiscard]] bool RuleMatches(const WebhookRule& rule, const RuleSubject& subject);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_WEBHOOK_H_
