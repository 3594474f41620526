// controller/webhook/webhook_heads.h
//
// HeadsOf: what a WebhookServer says to the heads of requests, for who puts it on a port.

#ifndef KINFORMER_CONTROLLER_WEBHOOK_WEBHOOK_HEADS_H_
#define KINFORMER_CONTROLLER_WEBHOOK_WEBHOOK_HEADS_H_

#include "kinformer/webhook_server.h"

#include "transport/head_judge.h"

namespace kinformer::internal::webhook {

// Goes with the server. Refuses what no body can mend: a path at which there is no webhook, and a
// Content-Type that its webhook does not read; with the words, and counted as, of Handle.
[[nodiscard]] transport::HeadJudge& HeadsOf(WebhookServer& server);

}  // namespace kinformer::internal::webhook

#endif  // KINFORMER_CONTROLLER_WEBHOOK_WEBHOOK_HEADS_H_
