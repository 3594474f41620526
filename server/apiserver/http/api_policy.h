// apiserver/http/api_policy.h
//
// ApiPolicy: the front end's rules for the Kubernetes API: admits requests, selects the compression
// of watches, and formats errors as Statuses.

#ifndef KINFORMER_APISERVER_HTTP_API_POLICY_H_
#define KINFORMER_APISERVER_HTTP_API_POLICY_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/apiserver/http_server_options.h"
#include "kinformer/client/transport.h"

#include "apiserver/http/authentication.h"
#include "apiserver/http/own_names.h"
#include "http/request_policy.h"

namespace kinformer::apiserver {

class ApiPolicy final : public internal::http::RequestPolicy {
 public:
  // `accepts`: checks tokens for the handler. `certified`: whether the server's certificate covers
  // a name; empty without TLS.
  ApiPolicy(HttpServerOptions options, AcceptsToken accepts,
            std::function<bool(const std::string&)> certified)
      : options_(std::move(options)),
        accepts_(std::move(accepts)),
        names_(options_, std::move(certified)) {}

  // Refuses requests from foreign web pages (403), unknown Hosts where neither token nor
  // certificate is required (421), and unauthenticated callers (401).
  [[nodiscard]] std::unique_ptr<ResponseStream> Admit(const internal::http::PeerIdentity& peer,
                                                      HttpRequest& request) const override;
  // Compresses long bodies, and watches that begin with initial events.
  [[nodiscard]] internal::http::Compression CompressionOf(
      const HttpRequest& request) const override;
  // Returns true for watches; their messages are the events.
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
