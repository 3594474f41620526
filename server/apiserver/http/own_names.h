// apiserver/http/own_names.h
//
// OwnNames: names and addresses by which clients reach this server, and detection of requests from
// foreign web pages.

#ifndef KINFORMER_APISERVER_HTTP_OWN_NAMES_H_
#define KINFORMER_APISERVER_HTTP_OWN_NAMES_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/apiserver/http_server_options.h"
#include "kinformer/client/transport.h"

namespace kinformer::apiserver {

// Protects against DNS rebinding: a web page can make its own name resolve to this machine, but it
// cannot send another name in the Host header. Thread-safe.
class OwnNames {
 public:
  // `certified`: returns whether the server's certificate covers a name; may be empty.
  OwnNames(const HttpServerOptions& options, std::function<bool(const std::string&)> certified);

  // `host`: value of a Host header. Accepts an empty one (HTTP/1.0), which no browser sends.
  [[nodiscard]] bool Include(std::string_view host) const;

 private:
  const std::vector<std::string> names_;  // in lower case; addresses in their usual form
  const bool all_interfaces_;
  const std::function<bool(const std::string&)> certified_;
};

// Returns whether a page of another origin than the request's Host made it. Only browsers send
// Origin.
[[nodiscard]] bool HasForeignOrigin(const HttpHeaders& headers);

// Returns true for "127.0.0.1", "::1" and similar addresses.
[[nodiscard]] bool IsLoopbackAddress(const std::string& address);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_HTTP_OWN_NAMES_H_
