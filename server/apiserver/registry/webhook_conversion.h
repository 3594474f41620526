// apiserver/registry/webhook_conversion.h
//
// Tests that tell whether a webhook, or a version that lacks fields, must convert an object.

#ifndef KINFORMER_APISERVER_REGISTRY_WEBHOOK_CONVERSION_H_
#define KINFORMER_APISERVER_REGISTRY_WEBHOOK_CONVERSION_H_

#include "kinformer/base/error.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

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
