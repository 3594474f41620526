// apiserver/http/own_names.h
//
// OwnNames: the names and addresses by which clients reach a server of ours, and what a request
// that a foreign web page made shows of itself.

#ifndef KINFORMER_APISERVER_HTTP_OWN_NAMES_H_
#define KINFORMER_APISERVER_HTTP_OWN_NAMES_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/apiserver/http_server_options.h"
#include "kinformer/transport.h"

namespace kinformer::apiserver {

// A web page can have its own name resolve to this machine and then talk to a server here as to its
// own (DNS rebinding). What it cannot do is to send another Host than that name. Thread-safe.
class OwnNames {
 public:
  // `certified`: whether the server's certificate is for that name; may be empty.
  OwnNames(const HttpServerOptions& options, std::function<bool(const std::string&)> certified);

  // `host`: of a Host header. Without one (HTTP/1.0) it is no browser.
  [[nodiscard]] bool Include(std::string_view host) const;

 private:
  const std::vector<std::string> names_;  // in lower case, and addresses as they are written
  const bool all_interfaces_;
  const std::function<bool(const std::string&)> certified_;
};

// Whether a page that came from elsewhere than the request's Host made it: browsers say so in
// Origin, and nobody else sends it.
[[nodiscard]] bool HasForeignOrigin(const HttpHeaders& headers);

// "127.0.0.1", "::1" and their kin.
[[nodiscard]] bool IsLoopbackAddress(const std::string& address);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_HTTP_OWN_NAMES_H_
