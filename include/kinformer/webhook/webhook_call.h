// kinformer/webhook/webhook_call.h
//
// WebhookCall: a webhook handler's information about the call, in addition to the review.

#ifndef KINFORMER_WEBHOOK_WEBHOOK_CALL_H_
#define KINFORMER_WEBHOOK_WEBHOOK_CALL_H_

#include <stop_token>
#include <string>

#include "kinformer/client/transport.h"

namespace kinformer {

// HTTP request with the review. A plain value. Counterpart: the context of a handler, and
// WithContextFunc, which puts parts of the request into it.
struct WebhookCall {
  std::string target{};  // path and query: "/validate--v1-pod?timeout=10s"
  HttpHeaders headers{};
  std::string user{};  // from a client certificate; see HttpRequest::user
  // Requested to stop when the caller does not wait for the answer any more, so that a handler can
  // cancel requests of its own. On the loop's thread, so callbacks must be quick.
  std::stop_token stop{};
};

}  // namespace kinformer

#endif  // KINFORMER_WEBHOOK_WEBHOOK_CALL_H_
