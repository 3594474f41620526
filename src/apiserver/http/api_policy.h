// apiserver/http/api_policy.h
//
// ApiPolicy: the front end's part of the Kubernetes API: who is let in, how watches are compressed,
// and that errors are Statuses.

#ifndef KINFORMER_APISERVER_HTTP_API_POLICY_H_
#define KINFORMER_APISERVER_HTTP_API_POLICY_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/apiserver/http_server_options.h"
#include "kinformer/transport.h"

#include "http/request_policy.h"

namespace kinformer::apiserver {

class ApiPolicy final : public internal::http::RequestPolicy {
 public:
  explicit ApiPolicy(HttpServerOptions options) : options_(std::move(options)) {}

  [[nodiscard]] bool Authenticate(const std::string& certificate_user,
                                  HttpRequest& request) const override;
  // What is long is worth it; of watches those that begin with initial events.
  [[nodiscard]] internal::http::Compression CompressionOf(
      const HttpRequest& request) const override;
  [[nodiscard]] std::unique_ptr<ResponseStream> Refuse(int status,
                                                       std::string_view message) const override;

 private:
  const HttpServerOptions options_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_HTTP_API_POLICY_H_
