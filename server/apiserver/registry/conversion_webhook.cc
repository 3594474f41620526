#include "apiserver/registry/conversion_webhook.h"

#include <chrono>
#include <utility>

#include "kinformer/base/env.h"

namespace kinformer::apiserver {
namespace {

// The same timeout as on a real server.
constexpr Duration kTimeout = std::chrono::seconds(30);

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

}  // namespace kinformer::apiserver
