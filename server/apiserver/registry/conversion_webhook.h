// apiserver/registry/conversion_webhook.h
//
// ConversionWebhook: the webhook of a definition that converts its objects between versions.

#ifndef KINFORMER_APISERVER_REGISTRY_CONVERSION_WEBHOOK_H_
#define KINFORMER_APISERVER_REGISTRY_CONVERSION_WEBHOOK_H_

#include <memory>
#include <string>

#include "kinformer/json/json.h"

#include "apiserver/registry/webhook_place.h"

namespace kinformer::apiserver {

// spec.conversion of a definition with the strategy Webhook. Immutable.
struct ConversionWebhook {
  WebhookPlace place{};
  std::string review{};  // "apiextensions.k8s.io/v1"

  // Returns null for other strategies.
  static std::shared_ptr<const ConversionWebhook> Make(const json::Value& conversion);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_CONVERSION_WEBHOOK_H_
