// apiserver/registry/webhook_conversion.h
//
// Conversion of custom resources by webhook: the webhook in a definition, and the tests that tell
// whether an object must be converted.

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

// spec.conversion of a definition with the strategy Webhook. Immutable.
struct ConversionWebhook {
  WebhookPlace place{};
  std::string review{};  // "apiextensions.k8s.io/v1"

  // Returns null for other strategies.
  static std::shared_ptr<const ConversionWebhook> Make(const json::Value& conversion);
};

// Returns whether the webhook must convert the object before requests for `at` can show it.
[[nodiscard]] bool MustAskToConvert(const ResourceAt& at, const StoredObject& stored);
// The same, or, without a webhook, whether fields that the version lacks must be removed
// (conversion.h: IsPruned).
[[nodiscard]] bool MustConvert(const ResourceAt& at, const StoredObject& stored);
// Return whether such objects may exist, so that lists and watches cannot read the store directly.
[[nodiscard]] bool IsAskedToConvert(const ResourceAt& at);
[[nodiscard]] bool IsConverted(const ResourceAt& at);
// Returns whether the webhook must convert an object of `at` before it can be stored.
[[nodiscard]] bool MustConvertToStore(const ResourceAt& at);

// Returns the error for in-process callers, which cannot wait for a webhook.
[[nodiscard]] Error ConversionTakesTime(const ResourceAt& at);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_WEBHOOK_CONVERSION_H_
