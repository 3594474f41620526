#include "kinformer/apiserver/webhook_network.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/client/http_transport.h"

#include "base/core/lru_cache.h"
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

// Most transports kept open, least recently used discarded. Whoever may write webhook
// configurations decides how many there are, and each may hold a connection. A call keeps its own.
constexpr std::size_t kMostTransports = 16;

// Keyed by URL and caBundle.
using Transports = internal::base::LruCache<std::shared_ptr<Transport>>;

}  // namespace

std::function<std::shared_ptr<Transport>(const WebhookAddress& address)> WebhookNetwork(Env& env) {
  return [&env, known = std::make_shared<Transports>(kMostTransports)](
             const WebhookAddress& address) -> std::shared_ptr<Transport> {
    if (!address.service.name.empty()) return nullptr;
    const std::string key = address.base_url + "\n" + address.ca_bundle;
    if (const auto* const there = known->Find(key)) return *there;
    Result<std::shared_ptr<Transport>> made = TransportTo(env, address);
    if (!made) {
      env.log().Log(LogLevel::kWarning, "a webhook cannot be reached",
                    {{"url", address.base_url}, {"err", made.error().ToString()}});
      return nullptr;
    }
    return known->Put(key, *std::move(made));
  };
}

}  // namespace kinformer::apiserver
