// apiserver/registry/webhook_conversion.h
//
// Custom resources whose versions differ: what their definition says of the webhook that converts
// between them, and where an object has to be converted.

#ifndef KINFORMER_APISERVER_REGISTRY_WEBHOOK_CONVERSION_H_
#define KINFORMER_APISERVER_REGISTRY_WEBHOOK_CONVERSION_H_

#include <memory>
#include <string>

#include "kinformer/error.h"
#include "kinformer/json.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/webhook_place.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// spec.conversion of a definition with the strategy Webhook. Constant once made.
struct ConversionWebhook {
  WebhookPlace place{};
  std::string review{};  // "apiextensions.k8s.io/v1"

  // Null for other strategies.
  static std::shared_ptr<const ConversionWebhook> Make(const json::Value& conversion);
};

// Whether the webhook has to convert that object before requests for `at` can show it.
[[nodiscard]] bool MustAskToConvert(const ResourceAt& at, const StoredObject& stored);
// The same; or, without a webhook, what the version does not have has to be taken out of the object
// (conversion.h: IsPruned).
[[nodiscard]] bool MustConvert(const ResourceAt& at, const StoredObject& stored);
// Whether there may be such objects, so that lists and watches cannot read what is stored.
[[nodiscard]] bool IsAskedToConvert(const ResourceAt& at);
[[nodiscard]] bool IsConverted(const ResourceAt& at);
// Whether the webhook has to convert an object of `at` before it can be stored.
[[nodiscard]] bool MustConvertToStore(const ResourceAt& at);

// What callers in this process are told, who cannot wait for a webhook.
[[nodiscard]] Error ConversionTakesTime(const ResourceAt& at);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_WEBHOOK_CONVERSION_H_
