#include "kinformer/otlp/otlp_tracer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kinformer/base/runtime.h"
#include "kinformer/client/http_transport.h"

#include "base/core/contained_sinks.h"
#include "base/core/forked.h"
#include "otlp/exporter.h"
#include "otlp/recorder.h"
#include "otlp/settings.h"

namespace kinformer {
namespace internal::otlp {
namespace {

// Draws an id, which is never zero.
template <std::size_t kSize>
std::array<std::uint8_t, kSize> NewId(Env& env) {
  std::array<std::uint8_t, kSize> id{};
  while (std::ranges::all_of(id, [](std::uint8_t byte) { return byte == 0; })) {
    for (std::size_t i = 0; i < kSize; i += 8) {
      std::uint64_t bits = env.Random();
      for (std::size_t j = i; j < i + 8; ++j) {
        id[j] = static_cast<std::uint8_t>(bits);
        bits >>= 8;
      }
    }
  }
  return id;
}

class TracerOverHttp final : public OtlpTracer {
 public:
  TracerOverHttp(base::Sinks sinks, Duration flush_timeout)
      : sinks_(std::move(sinks)),
        flush_timeout_(flush_timeout),
        runtime_({.name = "otlp", .max_handler_threads = 1, .log = sinks_.log}) {}

  // Call once, before anything else.
  Result<void> Open(const Settings& settings, const OtlpOptions& options) {
    sampler_ = settings.sampler;
    Result<std::unique_ptr<Transport>> transport =
        NewHttpTransport(runtime_.env(), {.base_url = settings.base_url,
                                          .tls = {.ca_file = settings.ca_file},
                                          .user_agent = "kinformer-otlp"});
    if (!transport) return std::move(transport).error();
    exporter_ = std::make_shared<Exporter>(runtime_.env(), *std::move(transport), settings, options,
                                           *sinks_.metrics);
    return {};
  }

  ~TracerOverHttp() override {
    if (exporter_ == nullptr) return;
    if (!base::IsForkedOff(runtime_.env())) static_cast<void>(exporter_->Flush(flush_timeout_));
    exporter_->Stop();
  }
  TracerOverHttp(const TracerOverHttp&) = delete;
  TracerOverHttp& operator=(const TracerOverHttp&) = delete;

  std::unique_ptr<SpanRecorder> StartSpan(const SpanStart& start) override {
    Env& env = runtime_.env();
    SpanContext context;
    context.trace_id = start.parent != nullptr ? start.parent->trace_id : NewId<16>(env);
    context.span_id = NewId<8>(env);
    if (start.parent != nullptr) context.tracestate = start.parent->tracestate;
    context.sampled = sampler_.Samples(start.parent, context.trace_id);
    if (!context.sampled) return std::make_unique<SilentRecorder>(std::move(context));
    return std::make_unique<Recorder>(exporter_, start, std::move(context));
  }

  Result<void> Flush(Duration timeout) override { return exporter_->Flush(timeout); }
  [[nodiscard]] OtlpStats Stats() const override { return exporter_->Stats(); }

 private:
  const base::Sinks sinks_;
  const Duration flush_timeout_;
  Runtime runtime_;
  Sampler sampler_{};
  std::shared_ptr<Exporter> exporter_;
};

Result<void> CheckNumbers(const OtlpOptions& options) {
  const auto wrong = [](const std::string& name) {
    return Error(Reason::kConfig, "OtlpOptions::" + name + " must be above zero");
  };
  if (options.max_queued_spans == 0) return wrong("max_queued_spans");
  if (options.max_batch_spans == 0) return wrong("max_batch_spans");
  const Duration zero(0);
  if (Duration(options.schedule_delay) <= zero) return wrong("schedule_delay");
  if (Duration(options.timeout) <= zero) return wrong("timeout");
  return {};
}

}  // namespace
}  // namespace internal::otlp

Result<std::shared_ptr<OtlpTracer>> NewOtlpTracer(const OtlpOptions& options) {
  if (Result<void> checked = internal::otlp::CheckNumbers(options); !checked) {
    return std::move(checked).error();
  }
  Result<internal::otlp::Settings> settings =
      internal::otlp::SettingsOf(options, internal::otlp::OwnVariables());
  if (!settings) return std::move(settings).error();
  const auto tracer = std::make_shared<internal::otlp::TracerOverHttp>(
      internal::base::ContainedSinks(
          options.log != nullptr ? options.log : NewStderrLog(LogLevel::kWarning),
          options.metrics != nullptr ? options.metrics : NewNullMetrics()),
      options.flush_timeout);
  if (Result<void> opened = tracer->Open(*settings, options); !opened) {
    return std::move(opened).error();
  }
  return std::shared_ptr<OtlpTracer>(tracer);
}

}  // namespace kinformer
