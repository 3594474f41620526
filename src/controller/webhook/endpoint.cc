#include "controller/webhook/endpoint.h"

#include <cstddef>
#include <utility>

#include "kinformer/metrics.h"

#include "base/user_call.h"
#include "controller/webhook/admission_review.h"
#include "controller/webhook/conversion_review.h"

namespace kinformer::internal::webhook {
namespace {

// As controller-runtime has it: a little more than two objects of etcd's largest.
constexpr std::size_t kMaxBytes = std::size_t{7} << 20;

// Inside a catch: what the client is told of it.
std::string Recovered() { return "panic: " + base::Thrown() + " [recovered]"; }

class AdmissionEndpoint final : public Endpoint {
 public:
  AdmissionEndpoint(Env& env, std::string path, admission::Handler handler)
      : env_(env),
        path_(std::move(path)),
        handler_(std::move(handler)),
        panics_(env.metrics().NewCounter("controller_runtime_webhook_panics_total",
                                         "Total number of webhook panics", {})) {}

  HttpAnswer Answer(const HttpRequest& request) override {
    ReviewQuestion question;
    const admission::Response response = Judge(request, question);
    return {.body = WriteAdmissionReview(question, response)};
  }

 private:
  admission::Response Judge(const HttpRequest& request, ReviewQuestion& question) {
    if (request.body.empty()) {
      return admission::Errored(400, Error(Reason::kBadRequest, "request body is empty"));
    }
    if (request.body.size() >= kMaxBytes) {
      return admission::Errored(
          413, Error(Reason::kRequestEntityTooLarge, "request entity is too large; limit is " +
                                                         std::to_string(kMaxBytes) + " bytes"));
    }
    const std::string type(request.headers.Get("Content-Type"));
    if (type != "application/json") {
      return admission::Errored(
          400, Error(Reason::kBadRequest, "contentType=" + type + ", expected application/json"));
    }
    if (Result<void> read = ReadAdmissionReview(request.body, question); !read) {
      return admission::Errored(400, read.error());
    }
    try {
      return handler_(question.request);
    } catch (...) {
      panics_->Add();
      static_cast<void>(base::ReportThrown(env_, "admission handler", path_));
      return admission::Errored(500, Error(Reason::kInternalError, Recovered()));
    }
  }

  Env& env_;
  const std::string path_;
  const admission::Handler handler_;
  const std::shared_ptr<Counter> panics_;
};

class ConversionEndpoint final : public Endpoint {
 public:
  ConversionEndpoint(Env& env, std::string path, Conversions conversions)
      : env_(env),
        path_(std::move(path)),
        conversions_(std::move(conversions)),
        panics_(env.metrics().NewCounter("controller_runtime_conversion_webhook_panics_total",
                                         "Total number of conversion webhook panics", {})) {}

  HttpAnswer Answer(const HttpRequest& request) override {
    const Result<json::Value> review = ReadConversionReview(request.body);
    if (!review) {
      return {.status = 400, .content_type = "text/plain", .body = review.error().message() + "\n"};
    }
    try {
      return {.body = ConvertReview(*review, conversions_)};
    } catch (...) {
      panics_->Add();
      static_cast<void>(base::ReportThrown(env_, "conversion", path_));
      return {.body = FailedConversionReview(*review, Recovered())};
    }
  }

 private:
  Env& env_;
  const std::string path_;
  const Conversions conversions_;
  const std::shared_ptr<Counter> panics_;
};

}  // namespace

std::unique_ptr<Endpoint> NewAdmissionEndpoint(Env& env, std::string path,
                                               admission::Handler handler) {
  return std::make_unique<AdmissionEndpoint>(env, std::move(path), std::move(handler));
}

std::unique_ptr<Endpoint> NewConversionEndpoint(Env& env, std::string path,
                                                Conversions conversions) {
  return std::make_unique<ConversionEndpoint>(env, std::move(path), std::move(conversions));
}

}  // namespace kinformer::internal::webhook
