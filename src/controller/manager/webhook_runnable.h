// controller/manager/webhook_runnable.h
//
// WebhookRunnable: a manager's webhook server on its port.

#ifndef KINFORMER_CONTROLLER_MANAGER_WEBHOOK_RUNNABLE_H_
#define KINFORMER_CONTROLLER_MANAGER_WEBHOOK_RUNNABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/client.h"
#include "kinformer/controller/runnable.h"
#include "kinformer/endpoints/certificate_watcher.h"
#include "kinformer/webhook/webhook_certificates.h"
#include "kinformer/webhook/webhook_listener.h"
#include "kinformer/webhook/webhook_server.h"

namespace kinformer::internal {

// Ready once it listens, since caches may need its conversions. Thread-safe.
class WebhookRunnable final : public Runnable {
 public:
  struct Options {
    WebhookListenerOptions listener{};
    WebhookServerOptions server{};
    // Source of the certificates; if empty, those of `listener`.
    std::optional<WebhookCertificatesOptions> certificates{};
    bool listens = true;  // false: used in memory only
  };

  WebhookRunnable(Client client, Options options);

  [[nodiscard]] WebhookServer& server() { return server_; }
  // Returns 0 if it does not listen.
  [[nodiscard]] std::uint16_t port() const;
  // kNotSynced if it should listen but does not.
  [[nodiscard]] Result<void> Check() const;

  Result<void> Start(const std::stop_token& stop) override;
  Result<void> WaitUntilReady(const std::stop_token& stop) override;
  [[nodiscard]] RunnableGroup group() const override { return RunnableGroup::kWebhooks; }
  [[nodiscard]] std::string name() const override { return "webhook server"; }

 private:
  // Opens the port with that certificate, or offers it to new connections.
  Result<void> Offer(const CertificatePair& pair);
  Result<void> Listen(WebhookListenerOptions options);
  void End();

  const Client client_;
  Env& env_;
  const Options options_;
  WebhookServer server_;
  const std::unique_ptr<Monitor> monitor_;
  // Guarded by the monitor.
  std::shared_ptr<WebhookListener> listener_{};  // null: it does not listen
  bool ended_ = false;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_MANAGER_WEBHOOK_RUNNABLE_H_
