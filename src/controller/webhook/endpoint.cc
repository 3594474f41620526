#include "controller/webhook/endpoint.h"

#include <cstddef>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "kinformer/base/metrics.h"

#include "base/core/http_code.h"
#include "base/core/user_call.h"
#include "controller/webhook/admission_review.h"
#include "controller/webhook/conversion_review.h"
#include "controller/webhook/review_request.h"
#include "controller/webhook/token_review.h"

namespace kinformer::internal::webhook {
namespace {

// Same limits as in controller-runtime: a little more than two of etcd's largest objects.
constexpr std::size_t kMaxAdmissionBytes = std::size_t{7} << 20;
constexpr std::size_t kMaxTokenBytes = std::size_t{1} << 20;

std::shared_ptr<Counter> WebhookPanics(Env& env) {
  return env.metrics().NewCounter("controller_runtime_webhook_panics_total",
                                  "Total number of webhook panics", {});
}

// Returns `text` with `secret` replaced.
std::string Without(std::string_view secret, std::string text) {
  constexpr std::string_view kInstead = "[...]";
  if (secret.empty()) return text;
  for (std::size_t at = text.find(secret); at != std::string::npos;
       at = text.find(secret, at + kInstead.size())) {
    text.replace(at, secret.size(), kInstead);
  }
  return text;
}

// Logs and counts the exception of the user's `function` at `path`, and returns the text for the
// client. Neither text contains `secret`. Call inside a catch block.
std::string Recover(Env& env, Counter& panics, IfThrown if_thrown, std::string_view function,
                    const std::string& path, std::string_view secret = {}) {
  panics.Add();
  const std::string thrown = Without(secret, base::Thrown());
  base::ReportThrownText(env, function, path, thrown);
  if (if_thrown == IfThrown::kTerminate) std::terminate();
  return "panic: " + thrown + " [recovered]";
}

class AdmissionEndpoint final : public Endpoint {
 public:
  AdmissionEndpoint(Env& env, std::string path, admission::Handler handler, IfThrown if_thrown)
      : env_(env),
        path_(std::move(path)),
        handler_(std::move(handler)),
        if_thrown_(if_thrown),
        panics_(WebhookPanics(env)) {}

  HttpAnswer Answer(const HttpRequest& request, const std::stop_token& stop) override {
    ReviewQuestion question;
    const admission::Response response = Judge(request, stop, question);
    return {.body = WriteAdmissionReview(question, response)};
  }

  std::optional<HttpAnswer> RefuseHead(const HttpRequest& head) override {
    const Result<void> read = CheckHead(head);
    if (read) return std::nullopt;
    const admission::Response response =
        admission::Errored(base::HttpCode(read.error()), read.error());
    return HttpAnswer{.body = WriteAdmissionReview({}, response)};
  }

 private:
  admission::Response Judge(const HttpRequest& request, const std::stop_token& stop,
                            ReviewQuestion& question) {
    Result<void> read = CheckBody(request, kMaxAdmissionBytes);
    if (read) read = ReadAdmissionReview(request.body, question);
    if (!read) return admission::Errored(base::HttpCode(read.error()), read.error());
    question.request.call = CallOf(request, stop);
    try {
      return handler_(question.request);
    } catch (...) {
      const std::string thrown = Recover(env_, *panics_, if_thrown_, "admission handler", path_);
      return admission::Errored(500, Error(Reason::kInternalError, thrown));
    }
  }

  Env& env_;
  const std::string path_;
  const admission::Handler handler_;
  const IfThrown if_thrown_;
  const std::shared_ptr<Counter> panics_;
};

class AuthenticationEndpoint final : public Endpoint {
 public:
  AuthenticationEndpoint(Env& env, std::string path, authentication::Handler handler,
                         IfThrown if_thrown)
      : env_(env),
        path_(std::move(path)),
        handler_(std::move(handler)),
        if_thrown_(if_thrown),
        panics_(WebhookPanics(env)) {}

  HttpAnswer Answer(const HttpRequest& request, const std::stop_token& stop) override {
    TokenQuestion question;
    authentication::Response response = Judge(request, stop, question);
    // The API server logs the error.
    response.error = Without(question.request.token, std::move(response.error));
    return {.body = WriteTokenReview(question, response)};
  }

  std::optional<HttpAnswer> RefuseHead(const HttpRequest& head) override {
    const Result<void> read = CheckHead(head);
    if (read) return std::nullopt;
    return HttpAnswer{.body = WriteTokenReview({}, authentication::Errored(read.error()))};
  }

 private:
  authentication::Response Judge(const HttpRequest& request, const std::stop_token& stop,
                                 TokenQuestion& question) {
    Result<void> read = CheckBody(request, kMaxTokenBytes);
    if (read) read = ReadTokenReview(request.body, question);
    if (!read) return authentication::Errored(read.error());
    question.request.call = CallOf(request, stop);
    try {
      return handler_(question.request);
    } catch (...) {
      const std::string thrown = Recover(env_, *panics_, if_thrown_, "authentication handler",
                                         path_, question.request.token);
      return authentication::Errored(Error(Reason::kInternalError, thrown));
    }
  }

  Env& env_;
  const std::string path_;
  const authentication::Handler handler_;
  const IfThrown if_thrown_;
  const std::shared_ptr<Counter> panics_;
};

class ConversionEndpoint final : public Endpoint {
 public:
  ConversionEndpoint(Env& env, std::string path, Conversions conversions, IfThrown if_thrown)
      : env_(env),
        path_(std::move(path)),
        conversions_(std::move(conversions)),
        if_thrown_(if_thrown),
        panics_(env.metrics().NewCounter("controller_runtime_conversion_webhook_panics_total",
                                         "Total number of conversion webhook panics", {})) {}

  HttpAnswer Answer(const HttpRequest& request, const std::stop_token& /*stop*/) override {
    const Result<json::Value> review = ReadConversionReview(request.body);
    if (!review) {
      return {.status = 400, .content_type = "text/plain", .body = review.error().message() + "\n"};
    }
    try {
      return {.body = ConvertReview(*review, conversions_)};
    } catch (...) {
      const std::string thrown = Recover(env_, *panics_, if_thrown_, "conversion", path_);
      return {.body = FailedConversionReview(*review, thrown)};
    }
  }

  std::optional<HttpAnswer> RefuseHead(const HttpRequest& /*head*/) override {
    return std::nullopt;
  }

 private:
  Env& env_;
  const std::string path_;
  const Conversions conversions_;
  const IfThrown if_thrown_;
  const std::shared_ptr<Counter> panics_;
};

}  // namespace

std::unique_ptr<Endpoint> NewAdmissionEndpoint(Env& env, std::string path,
                                               admission::Handler handler, IfThrown if_thrown) {
  return std::make_unique<AdmissionEndpoint>(env, std::move(path), std::move(handler), if_thrown);
}

std::unique_ptr<Endpoint> NewAuthenticationEndpoint(Env& env, std::string path,
                                                    authentication::Handler handler,
                                                    IfThrown if_thrown) {
  return std::make_unique<AuthenticationEndpoint>(env, std::move(path), std::move(handler),
                                                  if_thrown);
}

std::unique_ptr<Endpoint> NewConversionEndpoint(Env& env, std::string path, Conversions conversions,
                                                IfThrown if_thrown) {
  return std::make_unique<ConversionEndpoint>(env, std::move(path), std::move(conversions),
                                              if_thrown);
}

}  // namespace kinformer::internal::webhook
