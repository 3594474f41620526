// kinformer/webhook/webhook_listener.h
//
// WebhookListener: serves a WebhookServer on a port with TLS, where an API server can call it.
//
//   auto listener = WebhookListener::Listen(env, webhooks, {.cert_dir = "/certs"}).OrExit();
//   stop.Wait();
//   listener->Shutdown(std::chrono::minutes(1));

#ifndef KINFORMER_WEBHOOK_WEBHOOK_LISTENER_H_
#define KINFORMER_WEBHOOK_WEBHOOK_LISTENER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/transport.h"
#include "kinformer/endpoints/certificate_watcher.h"
#include "kinformer/internal/pimpl.h"

namespace kinformer {

// Address and certificate of a WebhookListener.
struct WebhookListenerOptions {
  std::string address{"0.0.0.0"};  // an IP address; "::" for all interfaces, IPv6 too
  std::uint16_t port{9443};        // 0: any free one

  // Certificate and key: given here, or read from files in a folder, which are read again every
  // cert_read_interval. If both are empty the folder is /tmp/k8s-webhook-server/serving-certs.
  CertificatePair certificate{};
  std::string cert_dir{};
  std::string cert_name{"tls.crt"};
  std::string key_name{"tls.key"};
  TimeSpan cert_read_interval{std::chrono::seconds(10)};

  // Authority of client certificates, as PEM; each client must then have one. Empty: all clients
  // are accepted, which is usual: a network policy, or this option, restricts access.
  std::string client_ca_pem{};
  bool http2{true};
};

// Serves HTTP/1.1 and HTTP/2 over TLS 1.2 and up. Answers bodies of more than 8 MiB with 413, and
// requests without a required certificate with 401. Runs on env's loop, which must be a Runtime's.
// Thread-safe; destruction closes all connections, and must come before the handler's. Counterpart:
// Start of controller-runtime's webhook.Server.
class WebhookListener {
 public:
  // Opens the port. kConfig: invalid certificate; kTransport: the port is in use; kInvalidArgument:
  // a simulated Env. Blocks on the disk.
  static Result<std::unique_ptr<WebhookListener>> Listen(Env& env, Handler& handler,
                                                         WebhookListenerOptions options = {});
  ~WebhookListener();
  WebhookListener(const WebhookListener&) = delete;
  WebhookListener& operator=(const WebhookListener&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  // Uses this certificate for new connections. kConfig: it is invalid, and the previous one stays.
  // Do not combine it with files of a folder, which are still read.
  Result<void> SetCertificate(const CertificatePair& certificate);
  // Accepts no more connections and waits until existing ones are done or `grace` is over. Blocks;
  // not for the loop's thread.
  void Shutdown(Duration grace);

 private:
  struct Impl;
  explicit WebhookListener(std::unique_ptr<Impl> impl);
  internal::Pimpl<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_WEBHOOK_WEBHOOK_LISTENER_H_
