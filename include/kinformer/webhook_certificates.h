// kinformer/webhook_certificates.h
//
// WebhookCertificates: makes the certificates of a webhook server, and renews them, in a Secret
// that all its replicas share; for clusters where nobody else does, such as cert-manager.
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
// A manager does all that itself: ManagerOptions::webhook_certificates.
//
// Its ServiceAccount needs get, create and update of that Secret, and get and update of the
// configurations and definitions that are named.

#ifndef KINFORMER_WEBHOOK_CERTIFICATES_H_
#define KINFORMER_WEBHOOK_CERTIFICATES_H_

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/certificate_watcher.h"
#include "kinformer/client.h"
#include "kinformer/env.h"
#include "kinformer/internal/time_span.h"
#include "kinformer/request_options.h"
#include "kinformer/result.h"

namespace kinformer {

// Which certificates, for whom, and who has to trust them.
struct WebhookCertificatesOptions {
  // The Secret, of type kubernetes.io/tls: tls.crt, tls.key, ca.crt, and ca.key, with which the
  // next certificate is signed. Whoever can read it can pose as the webhooks.
  std::string namespace_{};
  std::string secret_name{};
  // The names under which the API server reaches them: "hooks.system.svc".
  std::vector<std::string> hosts{};

  // Names of objects whose caBundle is kept equal to ca.crt, in all of their webhooks: of
  // MutatingWebhookConfigurations, ValidatingWebhookConfigurations, and of
  // CustomResourceDefinitions that are converted by a webhook.
  std::vector<std::string> mutating{};
  std::vector<std::string> validating{};
  std::vector<std::string> definitions{};

  internal::TimeSpan validity{std::chrono::hours(24 * 90)};  // of a certificate
  internal::TimeSpan renew_before{
      std::chrono::hours(24 * 30)};                             // it expires; also of the authority
  internal::TimeSpan check_interval{std::chrono::minutes(10)};  // how often Run looks
  // After a check that failed, or that missed an object that is named: it may be made later.
  internal::TimeSpan retry_interval{std::chrono::seconds(10)};
};

// The authority lasts ten years. When its time comes, a new one takes its place; the old one stays
// in ca.crt behind it as long as it is valid, so that certificates which it has signed are trusted
// until each replica has its next.
//
// Replicas agree by the Secret's resourceVersion: who is second takes what the first has made. All
// times are env's. Thread-safe. Counterpart: cert-controller's rotator.
class WebhookCertificates {
 public:
  WebhookCertificates(Client client, WebhookCertificatesOptions options);

  // kInvalidArgument: an option that is missing, or does not fit another.
  [[nodiscard]] Result<void> Validate() const;
  // One check: gives the pair of the Secret, which it has made or renewed where that is due, and
  // has put the authority into the caBundles, objects that are missing excepted. Errors: Validate's
  // and the API's. `call` bounds each request. Blocks; not for the loop's thread.
  [[nodiscard]] Result<CertificatePair> Ensure(const CallOptions& call = {}) const;

  // Checks until `stop` is requested, which ends a request under way, too, and calls `changed` on
  // this thread with the first pair and each that differs from the one before. Errors are logged,
  // and tried again. Blocks likewise.
  void Run(const std::stop_token& stop,
           const std::function<void(const CertificatePair& pair)>& changed) const;

 private:
  struct Checked;
  [[nodiscard]] Result<Checked> Check(const CallOptions& call) const;

  Client client_;
  WebhookCertificatesOptions options_;
};

}  // namespace kinformer

#endif  // KINFORMER_WEBHOOK_CERTIFICATES_H_
