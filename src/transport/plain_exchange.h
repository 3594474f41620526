// transport/plain_exchange.h
//
// ExchangePlainly: one HTTPS request to a server that is not the API server, such as the issuer of
// tokens, for work that may block.

#ifndef KINFORMER_TRANSPORT_PLAIN_EXCHANGE_H_
#define KINFORMER_TRANSPORT_PLAIN_EXCHANGE_H_

#include <chrono>
#include <stop_token>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"

namespace kinformer::internal::transport {

struct PlainRequest {
  std::string url{};   // https://
  std::string form{};  // what a POST sends, as application/x-www-form-urlencoded; empty: a GET
  std::string authorization{};
  std::string ca_pem{};  // empty: the system's certificates
  TimeSpan timeout{std::chrono::seconds(30)};
};

struct PlainAnswer {
  int status = 0;
  std::string body{};  // at most 1 MiB
};

// Sends the request over a connection of its own, through the proxy of the environment if there is
// one (proxy.h), and returns the answer, whatever its status is. A GET follows redirects to other
// https:// URLs. Blocks until the timeout, or until soon after `stop` (kStopped); not for the loop.
// kConfig: the URL is not https://. kTransport: no answer, or a larger one; the text names the
// server and has nothing of the form or the authorization.
Result<PlainAnswer> ExchangePlainly(const PlainRequest& request, const std::stop_token& stop);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_PLAIN_EXCHANGE_H_
