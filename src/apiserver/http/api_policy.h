// apiserver/http/api_policy.h
//
// ApiPolicy: the front end's part of the Kubernetes API: who is let in, how watches are compressed,
// and that errors are Statuses.

#ifndef KINFORMER_APISERVER_HTTP_API_POLICY_H_
#define KINFORMER_APISERVER_HTTP_API_POLICY_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/apiserver/http_server_options.h"
#include "kinformer/transport.h"

#include "apiserver/http/authentication.h"
#include "apiserver/http/own_names.h"
#include "http/request_policy.h"

namespace kinformer::apiserver {

class ApiPolicy final : public internal::http::RequestPolicy {
 public:
  // `accepts`: which tokens the handler accepts. `certified`: whether the server's certificate is
  // for a name; empty without TLS.
  ApiPolicy(HttpServerOptions options, AcceptsToken accepts,
            std::function<bool(const std::string&)> certified)
      : options_(std::move(options)),
        accepts_(std::move(accepts)),
        names_(options_, std::move(certified)) {}

  // Refuses what a foreign web page asks (403), where no token or certificate is needed any Host
  // that is not ours (421), and who has not proven who he is (401).
  [[nodiscard]] std::unique_ptr<ResponseStream> Admit(const std::string& certificate_user,
                                                      HttpRequest& request) const override;
  // What is long is worth it; of watches those that begin with initial events.
  [[nodiscard]] internal::http::Compression CompressionOf(
      const HttpRequest& request) const override;
  // Those of a watch are its events.
  [[nodiscard]] bool AnswersWithMessages(const HttpRequest& request) const override;
  [[nodiscard]] internal::http::MessageForm FormOf(std::string_view content_type) const override;
  [[nodiscard]] std::unique_ptr<ResponseStream> Refuse(int status,
                                                       std::string_view message) const override;

 private:
  const HttpServerOptions options_;
  const AcceptsToken accepts_;
  const OwnNames names_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_HTTP_API_POLICY_H_
