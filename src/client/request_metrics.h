// client/request_metrics.h
//
// RequestMetrics: the metrics of one client's requests, with the names, labels and buckets that
// client-go's tools/metrics has in k8s.io/component-base.

#ifndef KINFORMER_CLIENT_REQUEST_METRICS_H_
#define KINFORMER_CLIENT_REQUEST_METRICS_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/metrics.h"

namespace kinformer::internal::client {

// Loop-confined. Makes each instrument when it is first needed. Lists count as requests with an
// answer of their size; watches have neither duration nor sizes, since they last as long as they
// are needed.
class RequestMetrics {
 public:
  // `env` and `host`, the label of all metrics, outlive this.
  RequestMetrics(Env& env, const std::string& host) : env_(env), host_(host) {}

  // Counts an attempt by its status, "<error>" if there was no answer; `again`: it was not the
  // first attempt of its request.
  void CountAttempt(const std::string& code, const std::string& method, bool again);
  // Size of the body of an attempt.
  void ObserveRequestSize(const std::string& method, std::size_t bytes);
  // Size of the body of the answer that the caller gets.
  void ObserveResponseSize(const std::string& method, std::size_t bytes);
  // Duration of a request with all attempts, and with all waits between and before them.
  void ObserveDuration(const std::string& method, Duration duration);
  // Time that the rate limiter let an attempt wait, often none.
  void ObserveThrottling(const std::string& method, Duration wait);

 private:
  // Instruments of one method.
  struct Histograms {
    std::shared_ptr<Histogram> request_size{};
    std::shared_ptr<Histogram> response_size{};
    std::shared_ptr<Histogram> duration{};
    std::shared_ptr<Histogram> throttling{};
  };
  using Counters = std::map<std::pair<std::string, std::string>, std::shared_ptr<Counter>>;

  void Observe(const std::string& method, std::shared_ptr<Histogram> Histograms::* which,
               const char* name, const char* help, double value);

  Env& env_;
  const std::string& host_;
  Counters attempts_;  // by code and method
  Counters retries_;
  std::map<std::string, Histograms> histograms_;  // by method
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_REQUEST_METRICS_H_
