#include "apiserver/registry/webhook_place.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/url.h"

namespace kinformer::apiserver {

namespace {

// Returns the path as a real server requests it: without empty segments, "." and "..", and without
// final slash. Otherwise servers might redirect, which webhook calls do not follow.
std::string CleanPath(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(segment.size() + 1, path.size()));
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (!segment.empty() && segment != ".") {
      segments.push_back(segment);
    }
  }
  std::string clean;
  for (const std::string_view segment : segments) clean.append("/").append(segment);
  return clean.empty() ? "/" : clean;
}

}  // namespace

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
    place.path = CleanPath(std::exchange(parts.path, {}));
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
  place.path = CleanPath(service["path"].StringOrEmpty());
  return place;
}

}  // namespace kinformer::apiserver
