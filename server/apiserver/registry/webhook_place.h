// apiserver/registry/webhook_place.h
//
// WebhookPlace: address, path and timeout of a webhook, from its clientConfig.

#ifndef KINFORMER_APISERVER_REGISTRY_WEBHOOK_PLACE_H_
#define KINFORMER_APISERVER_REGISTRY_WEBHOOK_PLACE_H_

#include <string>

#include "kinformer/apiserver/api_server_options.h"
#include "kinformer/base/env.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

struct WebhookPlace {
  WebhookAddress address{};
  std::string path{};  // "/mutate--v1-pod"
  Duration timeout{};

  // Request target: the path, with the timeout in its query.
  [[nodiscard]] std::string Target() const;
  // For messages: "https://hooks.default.svc:443/mutate?timeout=10s".
  [[nodiscard]] std::string Url() const { return address.base_url + Target(); }
};

WebhookPlace PlaceOf(const json::Value& client_config, Duration timeout);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_WEBHOOK_PLACE_H_
