#include "client/request_metrics.h"

#include <chrono>

namespace kinformer::internal::client {
namespace {

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

void RequestMetrics::CountAttempt(const std::string& code, const std::string& method, bool again) {
  std::shared_ptr<Counter>& attempts = attempts_[{code, method}];
  if (attempts == nullptr) {
    attempts = env_.metrics().NewCounter("rest_client_requests_total",
                                         "Requests by status code, method and host.",
                                         {{"code", code}, {"method", method}, {"host", host_}});
  }
  attempts->Add();
  if (!again) return;
  std::shared_ptr<Counter>& retries = retries_[{code, method}];
  if (retries == nullptr) {
    retries = env_.metrics().NewCounter(
        "rest_client_request_retries_total",
        "Attempts after the first one of a request, by status code, verb and host.",
        {{"code", code}, {"verb", method}, {"host", host_}});
  }
  retries->Add();
}

void RequestMetrics::ObserveRequestSize(const std::string& method, std::size_t bytes) {
  Observe(method, &Histograms::request_size, "rest_client_request_size_bytes",
          "Size of requests in bytes, by verb and host.", static_cast<double>(bytes));
}

void RequestMetrics::ObserveResponseSize(const std::string& method, std::size_t bytes) {
  Observe(method, &Histograms::response_size, "rest_client_response_size_bytes",
          "Size of answers in bytes, by verb and host.", static_cast<double>(bytes));
}

void RequestMetrics::ObserveDuration(const std::string& method, Duration duration) {
  Observe(method, &Histograms::duration, "rest_client_request_duration_seconds",
          "Duration of requests in seconds, by verb and host.", Seconds(duration));
}

void RequestMetrics::ObserveThrottling(const std::string& method, Duration wait) {
  Observe(method, &Histograms::throttling, "rest_client_rate_limiter_duration_seconds",
          "Wait for the client-side rate limiter in seconds, by verb and host.", Seconds(wait));
}

void RequestMetrics::Observe(const std::string& method,
                             std::shared_ptr<Histogram> Histograms::* which, const char* name,
                             const char* help, double value) {
  std::shared_ptr<Histogram>& histogram = histograms_[method].*which;
  if (histogram == nullptr) {
    histogram = env_.metrics().NewHistogram(name, help, {{"verb", method}, {"host", host_}});
  }
  histogram->Observe(value);
}

}  // namespace kinformer::internal::client
