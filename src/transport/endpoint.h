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

  [[nodiscard]] std::string Bracketed() const;  // the host as it stands in a URL
};

// A host as it stands in a URL: an IPv6 address has brackets.
std::string Bracketed(const std::string& host);

// "https://host:port/prefix". kConfig for anything else; the message quotes the URL, without what
// may be a password.
Result<Endpoint> ParseEndpoint(const std::string& url);

// tls-server-name: a host's name, or an IP address, whose brackets are left out. kConfig for
// anything else.
Result<std::string> ParseServerName(const std::string& name);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_ENDPOINT_H_
