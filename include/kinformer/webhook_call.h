// kinformer/webhook_call.h
//
// WebhookCall: what a handler of a webhook can know beside the review that it answers.

#ifndef KINFORMER_WEBHOOK_CALL_H_
#define KINFORMER_WEBHOOK_CALL_H_

#include <stop_token>
#include <string>

#include "kinformer/transport.h"

namespace kinformer {

// The HTTP request that brought the review. A plain value. Counterpart: the context that a handler
// gets, and WithContextFunc, which puts parts of the request into it.
struct WebhookCall {
  std::string target{};  // path and query: "/validate--v1-pod?timeout=10s"
  HttpHeaders headers{};
  std::string user{};  // who has shown a client certificate; see HttpRequest::user
  // Stop is requested when nobody waits for the answer any more: whoever asks others for it can end
  // that. On the loop's thread, so callbacks must be quick.
  std::stop_token stop{};
};

}  // namespace kinformer

#endif  // KINFORMER_WEBHOOK_CALL_H_
