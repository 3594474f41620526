#include "apiserver/registry/webhook_conversion.h"

#include <chrono>

#include "apiserver/registry/conversion.h"

namespace kinformer::apiserver {
namespace {

// The same timeout as on a real server.
constexpr Duration kTimeout = std::chrono::seconds(30);

bool HasWebhook(const ResourceAt& at) {
  const auto& defined = at.resource->defined;
  return defined != nullptr && defined->webhook != nullptr;
}

}  // namespace

std::shared_ptr<const ConversionWebhook> ConversionWebhook::Make(const json::Value& conversion) {
  if (conversion["strategy"].StringOrEmpty() != "Webhook") return nullptr;
  ConversionWebhook webhook{.place = PlaceOf(conversion["webhook"]["clientConfig"], kTimeout)};
  for (const json::Value& version : conversion["webhook"]["conversionReviewVersions"].items()) {
    const std::string& text = version.StringOrEmpty();
    if (text != "v1" && text != "v1beta1") continue;
    webhook.review = "apiextensions.k8s.io/" + text;
    break;
  }
  return std::make_shared<const ConversionWebhook>(std::move(webhook));
}

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
