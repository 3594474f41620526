// kinformer/otlp/otlp_tracer.h
//
// OtlpTracer: a Tracer that sends its spans to an OpenTelemetry collector, by OTLP over HTTP, in
// JSON. Link kinformer::otlp.
//
//   std::shared_ptr<OtlpTracer> tracer = NewOtlpTracer().OrExit();  // from OTEL_… variables
//   Runtime runtime({.tracer = tracer});
//
// docs/guide/observability.md lists the spans.

#ifndef KINFORMER_OTLP_OTLP_TRACER_H_
#define KINFORMER_OTLP_OTLP_TRACER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/base/tracing.h"

namespace kinformer {

// Options of an OtlpTracer. A text that is empty is taken from the environment, by the names of
// OpenTelemetry, and then from the default in brackets.
struct OtlpOptions {
  // URL of the collector, to which /v1/traces is added, such as "https://collector:4318".
  // OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, which is used as it is, or OTEL_EXPORTER_OTLP_ENDPOINT
  // ["http://localhost:4318"].
  std::string endpoint{};
  // Headers of each request, such as credentials, which are never logged.
  // OTEL_EXPORTER_OTLP_TRACES_HEADERS or OTEL_EXPORTER_OTLP_HEADERS ("key=value,key=value").
  std::vector<std::pair<std::string, std::string>> headers{};
  // File with the CAs of the collector's certificate, in PEM. OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE
  // or OTEL_EXPORTER_OTLP_CERTIFICATE [those of the system].
  std::string ca_file{};
  // Attribute service.name. OTEL_SERVICE_NAME, or that of OTEL_RESOURCE_ATTRIBUTES
  // ["unknown_service:" and the program's name].
  std::string service_name{};
  // Further attributes of the process. They come before those of OTEL_RESOURCE_ATTRIBUTES.
  std::vector<std::pair<std::string, std::string>> resource_attributes{};
  // Selects the traces that are recorded: "always_on", "always_off", "traceidratio", and with
  // "parentbased_" in front: as the parent's was, if there is one. OTEL_TRACES_SAMPLER
  // ["parentbased_always_on"].
  std::string sampler{};
  // Share of the traces for traceidratio. OTEL_TRACES_SAMPLER_ARG ["1"].
  std::string sampler_argument{};
  // Ended spans that wait to be sent; further ones are dropped and counted.
  std::size_t max_queued_spans{2048};
  std::size_t max_batch_spans{512};
  // A batch that is not full is sent after this time.
  TimeSpan schedule_delay{std::chrono::seconds(5)};
  TimeSpan timeout{std::chrono::seconds(10)};  // of one request
  // A batch that the collector does not take is sent again, at growing intervals, for this time.
  TimeSpan retry_for{std::chrono::minutes(1)};
  // The destructor waits so long for the spans that are left.
  TimeSpan flush_timeout{std::chrono::seconds(5)};
  std::shared_ptr<LogSink> log{};  // empty: warnings and errors on stderr
  // Gets kinformer_otlp_spans_total, by result: sent, rejected, failed, dropped. Empty: none.
  std::shared_ptr<MetricsSink> metrics{};
};

// Counts ended spans, except those that still wait.
struct OtlpStats {
  std::uint64_t sent = 0;      // and taken by the collector
  std::uint64_t rejected = 0;  // refused by it
  std::uint64_t failed = 0;    // not sent within OtlpOptions::retry_for
  std::uint64_t dropped = 0;   // the queue was full
};

// See the head of this file. Thread-safe; never blocks who is measured. Create it after fork(). The
// destructor sends what is left. It has threads of its own, so that requests of a busy program and
// those to the collector do not wait for each other, and its requests have no spans.
class OtlpTracer : public Tracer {
 public:
  // Sends everything that has ended so far. kDeadlineExceeded: not within `timeout`. Blocks.
  virtual Result<void> Flush(Duration timeout) = 0;
  [[nodiscard]] virtual OtlpStats Stats() const = 0;
};

// Creates a tracer. kConfig, naming the option or the variable: a malformed endpoint, header,
// sampler or number. Does not connect yet: without a collector the program runs, and a warning is
// logged once a minute.
Result<std::shared_ptr<OtlpTracer>> NewOtlpTracer(const OtlpOptions& options = {});

}  // namespace kinformer

#endif  // KINFORMER_OTLP_OTLP_TRACER_H_
