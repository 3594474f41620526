// controller/manager/webhook_runnable.h
//
// WebhookRunnable: a manager's webhook server on its port.

#ifndef KINFORMER_CONTROLLER_MANAGER_WEBHOOK_RUNNABLE_H_
#define KINFORMER_CONTROLLER_MANAGER_WEBHOOK_RUNNABLE_H_

#include <string>

#include "kinformer/env.h"
#include "kinformer/result.h"
#include "kinformer/runnable.h"
#include "kinformer/webhook_listener.h"
#include "kinformer/webhook_server.h"

namespace kinformer::internal {

class WebhookRunnable final : public Runnable {
 public:
  // `listens`: false for a server that is only asked in memory.
  WebhookRunnable(Env& env, WebhookListenerOptions options, bool listens,
                  const WebhookServerOptions& server)
      : env_(env), options_(std::move(options)), listens_(listens), server_(env, server) {}

  [[nodiscard]] WebhookServer& server() { return server_; }

  Result<void> Start(const std::stop_token& stop) override;
  [[nodiscard]] RunnableGroup group() const override { return RunnableGroup::kWebhooks; }
  [[nodiscard]] std::string name() const override { return "webhook server"; }

 private:
  Env& env_;
  const WebhookListenerOptions options_;
  const bool listens_;
  WebhookServer server_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_MANAGER_WEBHOOK_RUNNABLE_H_
