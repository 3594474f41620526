// kinformer/webhook/webhook_certificates.h
//
// WebhookCertificates: creates and renews the certificates of a webhook server, in a Secret that
// all its replicas share; for clusters without a tool for that, such as cert-manager.
//
//   WebhookCertificates certificates(client, {.namespace_ = "system",
//                                             .secret_name = "hooks-tls",
//                                             .hosts = {"hooks.system.svc"},
//                                             .mutating = {"hooks"},
//                                             .validating = {"hooks"}});
//   auto listener = WebhookListener::Listen(
//       env, webhooks, {.certificate = certificates.Ensure().OrExit()}).OrExit();
//   certificates.Run(stop.token(), [&](const CertificatePair& pair) {  // on a thread of its own
//     if (!listener->SetCertificate(pair)) std::cerr << "not used\n";
//   });
//
// A manager does all this itself: ManagerOptions::webhook_certificates.
//
// The ServiceAccount needs get, create and update of the Secret, and get and update of the named
// configurations and definitions.

#ifndef KINFORMER_WEBHOOK_WEBHOOK_CERTIFICATES_H_
#define KINFORMER_WEBHOOK_WEBHOOK_CERTIFICATES_H_

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/client.h"
#include "kinformer/client/request_options.h"
#include "kinformer/endpoints/certificate_watcher.h"

namespace kinformer {

// Names and lifetimes of the certificates, and the objects that must trust them.
struct WebhookCertificatesOptions {
  // The Secret, of type kubernetes.io/tls: tls.crt, tls.key, ca.crt, and ca.key, which signs the
  // next certificate. Anyone who can read it can impersonate the webhooks.
  std::string namespace_{};
  std::string secret_name{};
  // Names by which the API server reaches the webhooks: "hooks.system.svc".
  std::vector<std::string> hosts{};

  // Names of objects whose caBundle is kept equal to ca.crt, in all their webhooks:
  // MutatingWebhookConfigurations, ValidatingWebhookConfigurations, and CustomResourceDefinitions
  // with conversion by a webhook.
  std::vector<std::string> mutating{};
  std::vector<std::string> validating{};
  std::vector<std::string> definitions{};

  TimeSpan validity{std::chrono::hours(24 * 90)};      // of a certificate
  TimeSpan renew_before{std::chrono::hours(24 * 30)};  // it expires; also of the authority
  TimeSpan check_interval{std::chrono::minutes(10)};   // between checks of Run
  // After a check that failed, or did not find a named object, which may be created later.
  TimeSpan retry_interval{std::chrono::seconds(10)};
};

// Creates and renews certificates. The authority lasts ten years. When it is due, a new one
// replaces it; the old one stays in ca.crt as long as it is valid, so that its certificates are
// trusted until each replica has its next.
//
// Replicas coordinate by the Secret's resourceVersion: the second takes the result of the first.
// All times are env's. Thread-safe. Counterpart: cert-controller's rotator.
class WebhookCertificates {
 public:
  WebhookCertificates(Client client, WebhookCertificatesOptions options);

  // Returns kInvalidArgument if an option is missing, or contradicts another.
  [[nodiscard]] Result<void> Validate() const;
  // Checks once, and returns the pair of the Secret, which it has created or renewed if due. Also
  // writes the authority into the caBundles, except of missing objects. Errors: Validate's and the
  // API's. `call` limits each request. Blocks; not for the loop's thread.
  [[nodiscard]] Result<CertificatePair> Ensure(const CallOptions& call = {}) const;

  // Checks until `stop` is requested, which also ends a running request. Calls `changed` on this
  // thread with the first pair and with each different one. Errors are logged, and the check is
  // repeated. Blocks too.
  void Run(const std::stop_token& stop,
           const std::function<void(const CertificatePair& pair)>& changed) const;

 private:
  struct Checked;
  [[nodiscard]] Result<Checked> Check(const CallOptions& call) const;

  Client client_;
  WebhookCertificatesOptions options_;
};

}  // namespace kinformer

#endif  // KINFORMER_WEBHOOK_WEBHOOK_CERTIFICATES_H_
