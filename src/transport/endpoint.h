// transport/endpoint.h
//
// Endpoint: the parts of a server's base URL.

#ifndef KINFORMER_TRANSPORT_ENDPOINT_H_
#define KINFORMER_TRANSPORT_ENDPOINT_H_

#include <string>

#include "kinformer/base/result.h"

namespace kinformer::internal::transport {

struct Endpoint {
  bool tls = false;
  std::string host;       // without the brackets of an IPv6 address
  std::string port;       // always given: 443 or 80 where the URL has none
  std::string authority;  // as written: "host" or "host:port", for the Host header
  std::string prefix;     // path without a final slash; empty for the root

  [[nodiscard]] std::string Bracketed() const;  // the host in the form of a URL
  [[nodiscard]] bool IsAddress() const;         // the host is no name
};

// Returns a host in the form of a URL: an IPv6 address gets brackets.
std::string Bracketed(const std::string& host);

// Parses "https://host:port/prefix". kConfig for anything else; the message quotes the URL without
// a possible password.
Result<Endpoint> ParseEndpoint(const std::string& url);

// Parses tls-server-name: a host's name, or an IP address, whose brackets are removed. kConfig for
// anything else.
Result<std::string> ParseServerName(const std::string& name);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_ENDPOINT_H_
