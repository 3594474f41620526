// transport/endpoint.h
//
// Endpoint: the base URL of a server, taken apart.

#ifndef KINFORMER_TRANSPORT_ENDPOINT_H_
#define KINFORMER_TRANSPORT_ENDPOINT_H_

#include <string>

#include "kinformer/result.h"

namespace kinformer::internal::transport {

struct Endpoint {
  bool tls = false;
  std::string host;       // without the brackets of an IPv6 address
  std::string port;       // always given: 443 or 80 where the URL has none
  std::string authority;  // as written: "host" or "host:port", for the Host header
  std::string prefix;     // path without a final slash; empty for the root
  bool loopback = false;  // proxies from the environment do not apply

  [[nodiscard]] std::string Bracketed() const;  // the host as it stands in a URL
};

// "https://host:port/prefix". kConfig for anything else; the message quotes the URL.
Result<Endpoint> ParseEndpoint(const std::string& url);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_ENDPOINT_H_
