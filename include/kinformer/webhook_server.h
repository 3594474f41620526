// kinformer/webhook_server.h
//
// WebhookServer: answers what an API server asks its webhooks: may this object be written, what
// should it be, how does it look in another version, whose is this token.
//
//   WebhookServer webhooks(env);
//   webhooks.RegisterDefaulter<corev1::Pod>(
//       [](const admission::Request&, corev1::Pod::Mutable& pod) -> Result<void> {
//         pod.metadata.labels.try_emplace("tier", "back");
//         return {};
//       }).OrExit();  // at /mutate--v1-pod
//
// It is a Handler (transport.h), without sockets: WebhookListener (webhook_listener.h) puts it on a
// port with TLS, as a cluster needs it; the embedded API server asks it in memory, in simulated
// time (ApiServerOptions::webhook_transport).

#ifndef KINFORMER_WEBHOOK_SERVER_H_
#define KINFORMER_WEBHOOK_SERVER_H_

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/admission.h"
#include "kinformer/admission_defaulter.h"
#include "kinformer/admission_validator.h"
#include "kinformer/authentication.h"
#include "kinformer/conversion.h"
#include "kinformer/env.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/internal/webhook_server_misuse.h"
#include "kinformer/object_name.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"
#include "kinformer/transport.h"

namespace kinformer {

// "/mutate-apps-v1-deployment", "/mutate--v1-pod": where a kind's defaulter is found, dots of the
// group turned into dashes.
[[nodiscard]] std::string GenerateMutatePath(const GroupVersionKind& kind);
// "/validate-apps-v1-deployment": where its validator is.
[[nodiscard]] std::string GenerateValidatePath(const GroupVersionKind& kind);

// Everything has a default.
struct WebhookServerOptions {
  // True: what a function throws is logged, counted and answered: with code 500, as an error, as a
  // Failure. False: it is logged and ends the process. Counterpart: admission.Webhook.RecoverPanic.
  bool recover_panic{true};
};

// Functions run on env's pool, several at once, and may block, so the loop never waits for them.
//
// An admission path answers every request with HTTP status 200 and an AdmissionReview in the
// version that was sent (v1 or v1beta1). What is wrong with a request stands in that review: code
// 400 for a body that is empty, no AdmissionReview, or not of Content-Type application/json; 413
// from 7 MiB on. A review that does not say its kind and version is taken for one of v1. Paths that
// nobody has registered: 404.
//
// An authentication path does the same with TokenReviews, whose status.error says what is wrong;
// they may have less than 1 MiB. Tokens go into no log, no metric and no answer: where the text of
// an error has one in it, "[...]" takes its place.
//
// Metrics, by the names of controller-runtime: controller_runtime_webhook_requests_total (webhook,
// code), _latency_seconds and _requests_in_flight (webhook), _panics_total, and
// controller_runtime_conversion_webhook_panics_total. The label webhook is the path.
//
// Register is thread-safe; Handle belongs to the loop. Destruction waits for functions that are
// running: it must not happen on the loop's thread while they may need the loop. Responses under
// way may outlive it. Counterpart: controller-runtime's webhook.Server.
class WebhookServer : public Handler, private internal::WebhookServerMisuse {
 public:
  using WebhookServerMisuse::Register;
  using WebhookServerMisuse::RegisterAuthentication;
  using WebhookServerMisuse::RegisterConversions;
  using WebhookServerMisuse::RegisterDefaulter;
  using WebhookServerMisuse::RegisterValidator;

  explicit WebhookServer(Env& env, const WebhookServerOptions& options = {});
  template <class Wrong, class... Rest>
    requires(!std::derived_from<Wrong, Env> && !std::same_as<Wrong, WebhookServer>)
  explicit WebhookServer(const Wrong& wrong, const Rest&... /*rest*/)
      : WebhookServer(internal::NoEnv(wrong)) {}
  ~WebhookServer() override;
  WebhookServer(const WebhookServer&) = delete;
  WebhookServer& operator=(const WebhookServer&) = delete;

  // kAlreadyExists: the path is taken. kInvalidArgument: it does not begin with a slash.
  Result<void> Register(const std::string& path, admission::Handler handler);
  // At GenerateValidatePath of the kind.
  template <KnownKind T, std::convertible_to<std::shared_ptr<admission::Validator<T>>> Pointer>
  Result<void> RegisterValidator(Pointer validator) {
    return Register(GenerateValidatePath(internal::KindOf<T>()),
                    admission::WithValidator<T>(std::move(validator)));
  }
  // At GenerateMutatePath of the kind.
  template <KnownKind T>
  Result<void> RegisterDefaulter(admission::Defaulter<T> defaulter,
                                 admission::DefaulterOptions options = {}) {
    return Register(GenerateMutatePath(internal::KindOf<T>()),
                    admission::WithDefaulter<T>(std::move(defaulter), options));
  }
  // Answers TokenReviews. Errors as of Register. Counterpart: authentication.Webhook.
  Result<void> RegisterAuthentication(const std::string& path, authentication::Handler handler);
  // Answers ConversionReviews of v1 and v1beta1; errors of the functions are Failures. A body that
  // is none is HTTP status 400.
  Result<void> RegisterConversions(Conversions conversions, const std::string& path = "/convert");

  // A check for healthz::Handler and Manager::AddReadyzCheck: kServiceUnavailable until SetStarted.
  // May outlive the server. Counterpart: StartedChecker.
  [[nodiscard]] std::function<Result<void>()> StartedChecker() const;
  // API servers can reach it now, or not any more: whoever makes the WebhookListener says so, as a
  // Manager does. Thread-safe.
  void SetStarted(bool started);

  // The path of the request's target says who answers; its query does not matter.
  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_WEBHOOK_SERVER_H_
