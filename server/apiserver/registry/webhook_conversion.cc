#include "apiserver/registry/webhook_conversion.h"

#include "apiserver/registry/conversion.h"
#include "apiserver/registry/defined_resource.h"

namespace kinformer::apiserver {
namespace {

bool HasWebhook(const ResourceAt& at) {
  const auto& defined = at.resource->defined;
  return defined != nullptr && defined->webhook != nullptr;
}

}  // namespace

bool MustAskToConvert(const ResourceAt& at, const StoredObject& stored) {
  return HasWebhook(at) && stored.form() != at.resource->FormOf(at.version->version);
}

bool MustConvert(const ResourceAt& at, const StoredObject& stored) {
  return IsPruned(at) || MustAskToConvert(at, stored);
}

bool IsAskedToConvert(const ResourceAt& at) {
  return HasWebhook(at) && (!at.version->storage || at.resource->mixed_forms);
}

bool IsConverted(const ResourceAt& at) { return IsPruned(at) || IsAskedToConvert(at); }

bool MustConvertToStore(const ResourceAt& at) { return HasWebhook(at) && !at.version->storage; }

Error ConversionTakesTime(const ResourceAt& at) {
  return Error(Reason::kServiceUnavailable,
               "a webhook converts " + at.resource->plural + "." + at.resource->group + " to " +
                   at.version->version +
                   ", and calls in this process do not wait for it: name the version that is "
                   "stored, or ask over a transport");
}

}  // namespace kinformer::apiserver
