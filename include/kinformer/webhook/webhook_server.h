// kinformer/webhook/webhook_server.h
//
// WebhookServer: answers an API server's questions to webhooks: validates objects, sets defaults,
// converts between versions, and finds users of tokens.
//
//   WebhookServer webhooks(env);
//   webhooks.RegisterDefaulter<corev1::Pod>(
//       [](const admission::Request&, corev1::Pod::Mutable& pod) -> Result<void> {
//         pod.metadata.labels.try_emplace("tier", "back");
//         return {};
//       }).OrExit();  // at /mutate--v1-pod
//
// It is a Handler (transport.h), without sockets: WebhookListener (webhook_listener.h) serves it on
// a port with TLS, as a cluster needs it; the embedded API server calls it in memory, in simulated
// time (ApiServerOptions::webhook_transport).

#ifndef KINFORMER_WEBHOOK_WEBHOOK_SERVER_H_
#define KINFORMER_WEBHOOK_WEBHOOK_SERVER_H_

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/transport.h"
#include "kinformer/internal/misuse.h"
#include "kinformer/internal/pimpl.h"
#include "kinformer/internal/webhook_server_misuse.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/resource.h"
#include "kinformer/webhook/admission.h"
#include "kinformer/webhook/admission_defaulter.h"
#include "kinformer/webhook/admission_validator.h"
#include "kinformer/webhook/authentication.h"
#include "kinformer/webhook/conversion.h"

namespace kinformer {

// Returns the path of a kind's defaulter: "/mutate-apps-v1-deployment", "/mutate--v1-pod". Dots of
// the group become dashes.
[[nodiscard]] std::string GenerateMutatePath(const GroupVersionKind& kind);
// Returns the path of a kind's validator: "/validate-apps-v1-deployment".
[[nodiscard]] std::string GenerateValidatePath(const GroupVersionKind& kind);

// Options of a WebhookServer.
struct WebhookServerOptions {
  // True: exceptions of functions are logged, counted and answered (code 500, an error, a Failure).
  // False: they are logged and end the process. Counterpart: admission.Webhook.RecoverPanic.
  bool recover_panic{true};
};

// Serves webhooks. Functions run on env's pool, several at once, and may block.
//
// An admission path answers every request with HTTP status 200 and an AdmissionReview in the
// version that was sent (v1 or v1beta1). Errors of a request are in that review: code 400 for a
// body that is empty, no AdmissionReview, or not of Content-Type application/json; 413 from 7 MiB
// on. A review without kind and version is treated as one of v1. Paths that are not registered:
// 404.
//
// An authentication path does the same with TokenReviews, with the error in status.error; they must
// have less than 1 MiB. Tokens are never part of a log line, a metric or an answer: in texts of
// errors "[...]" replaces them.
//
// Metrics, by the names of controller-runtime: controller_runtime_webhook_requests_total (webhook,
// code), _latency_seconds and _requests_in_flight (webhook), _panics_total, and
// controller_runtime_conversion_webhook_panics_total. The label webhook is the path.
//
// Register is thread-safe; Handle belongs to the loop. Destruction waits for running functions: it
// must not happen on the loop's thread while they may need the loop. Responses may outlive it.
// Counterpart: controller-runtime's webhook.Server.
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

  // Registers a handler. kAlreadyExists: the path is taken. kInvalidArgument: no leading slash.
  Result<void> Register(const std::string& path, admission::Handler handler);
  // Registers a validator at GenerateValidatePath of the kind.
  template <KnownKind T, std::convertible_to<std::shared_ptr<admission::Validator<T>>> Pointer>
  Result<void> RegisterValidator(Pointer validator) {
    return Register(GenerateValidatePath(internal::KindOf<T>()),
                    admission::WithValidator<T>(std::move(validator)));
  }
  // Registers a defaulter at GenerateMutatePath of the kind.
  template <KnownKind T>
  Result<void> RegisterDefaulter(admission::Defaulter<T> defaulter,
                                 admission::DefaulterOptions options = {}) {
    return Register(GenerateMutatePath(internal::KindOf<T>()),
                    admission::WithDefaulter<T>(std::move(defaulter), options));
  }
  // Registers a handler of TokenReviews. Errors as Register. Counterpart: authentication.Webhook.
  Result<void> RegisterAuthentication(const std::string& path, authentication::Handler handler);
  // Registers a handler of ConversionReviews of v1 and v1beta1; errors of functions are Failures.
  // Other bodies are HTTP status 400.
  Result<void> RegisterConversions(Conversions conversions, const std::string& path = "/convert");

  // Returns a check for healthz::Handler and Manager::AddReadyzCheck: kServiceUnavailable until
  // SetStarted. May outlive the server. Counterpart: StartedChecker.
  [[nodiscard]] std::function<Result<void>()> StartedChecker() const;
  // Reports whether API servers can reach it now. Called by the owner of the WebhookListener, such
  // as a Manager. Thread-safe.
  void SetStarted(bool started);

  // Passes a request to the handler of its path; ignores the query.
  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override;

 private:
  struct Impl;
  internal::Pimpl<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_WEBHOOK_WEBHOOK_SERVER_H_
