// transport/proxy.h
//
// Which proxy the environment wants for a server, as Go's net/http decides it: HTTPS_PROXY or
// HTTP_PROXY, and NO_PROXY. Nothing else in the environment counts; libcurl has rules of its own
// and is always told the outcome.

#ifndef KINFORMER_TRANSPORT_PROXY_H_
#define KINFORMER_TRANSPORT_PROXY_H_

#include <string>
#include <string_view>

#include "kinformer/http_transport.h"
#include "kinformer/result.h"

#include "transport/endpoint.h"

namespace kinformer::internal::transport {

// The values of the variables; the names in capitals win over the others.
struct ProxyEnvironment {
  std::string https_proxy{};
  std::string http_proxy{};
  std::string no_proxy{};
  static ProxyEnvironment OfProcess();
};

// Whether NO_PROXY, or being on this machine, keeps the server from being reached by a proxy.
bool IsDirect(const Endpoint& endpoint, std::string_view no_proxy);

// The URL of the proxy to use, in libcurl's terms; empty: none. kConfig, naming the option or the
// variable, where it is no URL of a proxy.
Result<std::string> ProxyFor(const Endpoint& endpoint, const HttpTransportOptions& options,
                             const ProxyEnvironment& environment);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_PROXY_H_
