// apiserver/admission/webhook.h
//
// Webhook: what a Validating- or MutatingWebhookConfiguration says of one of its webhooks.

#ifndef KINFORMER_APISERVER_ADMISSION_WEBHOOK_H_
#define KINFORMER_APISERVER_ADMISSION_WEBHOOK_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/label_selector.h"

#include "apiserver/registry/webhook_place.h"

namespace kinformer::apiserver {

// Which requests a webhook is asked about; "*" stands for all.
struct WebhookRule {
  std::vector<std::string> operations{};
  std::vector<std::string> groups{};
  std::vector<std::string> versions{};
  std::vector<std::string> resources{};  // "pods", "pods/status", "*/scale", "*/*"
  std::string scope{};
};

// Constant once made. What a configuration leaves out has the default of admissionregistration/v1.
struct Webhook {
  std::string name{};
  WebhookPlace place{};
  std::vector<WebhookRule> rules{};
  LabelSelector namespaces{};
  LabelSelector objects{};
  bool exact = false;         // matchPolicy
  bool ignores = false;       // failurePolicy: a call that fails is as if nobody had been asked
  bool side_effects = false;  // it must not be asked about dry runs
  bool again = false;         // reinvocationPolicy IfNeeded
  std::string review{};       // "admission.k8s.io/v1"
};

using WebhookPtr = std::shared_ptr<const Webhook>;

// Those of a stored configuration, in its order.
std::vector<WebhookPtr> WebhooksOf(const json::Value& configuration);

// What a rule may be about.
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
