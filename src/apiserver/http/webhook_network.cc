#include "kinformer/apiserver/webhook_network.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/http_transport.h"
#include "kinformer/log.h"

#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

Result<std::shared_ptr<Transport>> TransportTo(Env& env, const WebhookAddress& address) {
  HttpTransportOptions options{.base_url = address.base_url};
  if (!address.ca_bundle.empty()) {
    std::optional<std::string> pem = internal::Base64Decode(address.ca_bundle);
    if (!pem) return Error(Reason::kConfig, "caBundle is no base64");
    options.tls.ca_pem = *std::move(pem);
  }
  Result<std::unique_ptr<Transport>> transport = NewHttpTransport(env, std::move(options));
  if (!transport) return std::move(transport).error();
  return std::shared_ptr<Transport>(*std::move(transport));
}

// By URL and caBundle.
using Transports = std::map<std::pair<std::string, std::string>, std::shared_ptr<Transport>>;

}  // namespace

std::function<std::shared_ptr<Transport>(const WebhookAddress& address)> WebhookNetwork(Env& env) {
  return [&env, known = std::make_shared<Transports>()](
             const WebhookAddress& address) -> std::shared_ptr<Transport> {
    if (!address.service.name.empty()) return nullptr;
    std::shared_ptr<Transport>& transport = (*known)[{address.base_url, address.ca_bundle}];
    if (transport == nullptr) {
      Result<std::shared_ptr<Transport>> made = TransportTo(env, address);
      if (!made) {
        env.log().Log(LogLevel::kWarning, "a webhook cannot be reached",
                      {{"url", address.base_url}, {"err", made.error().ToString()}});
        return nullptr;
      }
      transport = *std::move(made);
    }
    return transport;
  };
}

}  // namespace kinformer::apiserver
