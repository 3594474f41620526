// transport/proxy.h
//
// Chooses the proxy for a server from the environment, like Go's net/http: by HTTPS_PROXY or
// HTTP_PROXY, and NO_PROXY. Other variables are ignored; libcurl has other rules, and always gets
// the result of these.

#ifndef KINFORMER_TRANSPORT_PROXY_H_
#define KINFORMER_TRANSPORT_PROXY_H_

#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/client/http_transport.h"

#include "transport/endpoint.h"

namespace kinformer::internal::transport {

// Values of the variables; names in capitals take precedence.
struct ProxyEnvironment {
  std::string https_proxy{};
  std::string http_proxy{};
  std::string no_proxy{};
  static ProxyEnvironment OfProcess();
};

// Whether the server is reached directly, because of NO_PROXY or because it is on this machine.
bool IsDirect(const Endpoint& endpoint, std::string_view no_proxy);

// Returns the URL of the proxy, in libcurl's form; empty if there is none. kConfig with the option
// or the variable, if it is not a valid URL of a proxy.
Result<std::string> ProxyFor(const Endpoint& endpoint, const HttpTransportOptions& options,
                             const ProxyEnvironment& environment);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_PROXY_H_
