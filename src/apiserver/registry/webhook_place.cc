#include "apiserver/registry/webhook_place.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/url.h"

namespace kinformer::apiserver {

std::string WebhookPlace::Target() const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout).count();
  return path + (path.find('?') == std::string::npos ? "?" : "&") +
         "timeout=" + std::to_string(seconds) + "s";
}

WebhookPlace PlaceOf(const json::Value& client_config, Duration timeout) {
  WebhookPlace place{.timeout = timeout};
  WebhookAddress& address = place.address;
  address.ca_bundle = client_config["caBundle"].StringOrEmpty();
  if (const std::string& url = client_config["url"].StringOrEmpty(); !url.empty()) {
    internal::base::Url parts = internal::base::SplitUrl(url);
    place.path = parts.path.empty() ? "/" : std::exchange(parts.path, {});
    if (!parts.query.empty()) place.path += "?" + std::exchange(parts.query, {});
    parts.fragment.clear();
    address.base_url = parts.ToString();
    return place;
  }
  const json::Value& service = client_config["service"];
  address.service = {.namespace_ = service["namespace"].StringOrEmpty(),
                     .name = service["name"].StringOrEmpty()};
  const std::int64_t port = service["port"].AsInt64().value_or(443);
  address.base_url = "https://" + address.service.name + "." + address.service.namespace_ +
                     ".svc:" + std::to_string(port);
  const std::string& path = service["path"].StringOrEmpty();
  place.path = path.starts_with('/') ? path : "/" + path;
  return place;
}

}  // namespace kinformer::apiserver
