// kinformer/webhook_listener.h
//
// WebhookListener: puts a WebhookServer on a port with TLS, where an API server can ask it.
//
//   auto listener = WebhookListener::Listen(env, webhooks, {.cert_dir = "/certs"}).OrExit();
//   stop.Wait();
//   listener->Shutdown(std::chrono::minutes(1));

#ifndef KINFORMER_WEBHOOK_LISTENER_H_
#define KINFORMER_WEBHOOK_LISTENER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "kinformer/certificate_watcher.h"
#include "kinformer/env.h"
#include "kinformer/internal/time_span.h"
#include "kinformer/result.h"
#include "kinformer/transport.h"

namespace kinformer {

// Where a WebhookListener listens, and with which certificate.
struct WebhookListenerOptions {
  std::string address{"0.0.0.0"};  // an IP address; "::" for all interfaces, IPv6 too
  std::uint16_t port{9443};        // 0: any free one

  // The certificate and its key: given here, or else files in a folder, which are read again every
  // cert_read_interval. With both empty the folder is /tmp/k8s-webhook-server/serving-certs.
  CertificatePair certificate{};
  std::string cert_dir{};
  std::string cert_name{"tls.crt"};
  std::string key_name{"tls.key"};
  internal::TimeSpan cert_read_interval{std::chrono::seconds(10)};

  // PEM of who may sign the certificates of clients, of which each must then show one. Empty:
  // everybody is let in, as is usual: the network policy or this keeps others away.
  std::string client_ca_pem{};
  bool http2{true};
};

// Serves HTTP/1.1 and HTTP/2 over TLS 1.2 and up. Bodies of more than 8 MiB are answered with 413,
// requests without a certificate that must have one with 401. Runs on env's loop, which must be a
// Runtime's. Thread-safe; destruction closes all connections, and must come before the handler's.
// Counterpart: Start of controller-runtime's webhook.Server.
class WebhookListener {
 public:
  // Opens the port. kConfig: the certificate; kTransport: the port is taken; kInvalidArgument: a
  // simulated Env. Blocks on the disk.
  static Result<std::unique_ptr<WebhookListener>> Listen(Env& env, Handler& handler,
                                                         WebhookListenerOptions options = {});
  ~WebhookListener();
  WebhookListener(const WebhookListener&) = delete;
  WebhookListener& operator=(const WebhookListener&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  // New connections are offered this one. kConfig: it is none, and the one before stays. Files of a
  // folder are read all the same: not for both.
  Result<void> SetCertificate(const CertificatePair& certificate);
  // Accepts no more connections and waits until those that are there are done or `grace` is over.
  // Blocks; not for the loop's thread.
  void Shutdown(Duration grace);

 private:
  struct Impl;
  explicit WebhookListener(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_WEBHOOK_LISTENER_H_
