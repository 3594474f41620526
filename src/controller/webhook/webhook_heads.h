// controller/webhook/webhook_heads.h
//
// HeadsOf: answers of a WebhookServer to the heads of requests, for the code that opens a port.

#ifndef KINFORMER_CONTROLLER_WEBHOOK_WEBHOOK_HEADS_H_
#define KINFORMER_CONTROLLER_WEBHOOK_WEBHOOK_HEADS_H_

#include "kinformer/internal/head_judge.h"
#include "kinformer/webhook/webhook_server.h"

namespace kinformer::internal::webhook {

// The result belongs to the server. Refuses requests that are wrong whatever their body: an unknown
// path, or a Content-Type that the webhook cannot read. Same texts and counters as Handle.
[[nodiscard]] transport::HeadJudge& HeadsOf(WebhookServer& server);

}  // namespace kinformer::internal::webhook

#endif  // KINFORMER_CONTROLLER_WEBHOOK_WEBHOOK_HEADS_H_
