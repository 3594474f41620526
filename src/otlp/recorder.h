// otlp/recorder.h
//
// Recorder: a span that is being recorded, within bounds.

#ifndef KINFORMER_OTLP_RECORDER_H_
#define KINFORMER_OTLP_RECORDER_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "kinformer/base/tracing.h"

#include "base/core/mutex.h"
#include "otlp/exporter.h"
#include "otlp/span_data.h"

namespace kinformer::internal::otlp {

// Keeps at most kMost attributes, events and links each, the defaults of OpenTelemetry, and of a
// text at most kLongestText bytes.
class Recorder final : public SpanRecorder {
 public:
  static constexpr std::size_t kMost = 128;
  static constexpr std::size_t kLongestText = 4096;

  Recorder(std::shared_ptr<Exporter> exporter, const SpanStart& start, SpanContext context);

  [[nodiscard]] const SpanContext& context() const override { return context_; }
  void SetAttribute(const SpanAttribute& attribute) override;
  void AddEvent(std::string_view name, WallTime when,
                std::span<const SpanAttribute> attributes) override;
  void AddLink(const SpanContext& to) override;
  void SetError(std::string_view description) override;
  void End(WallTime when) override;

 private:
  const std::shared_ptr<Exporter> exporter_;
  const SpanContext context_;
  base::Mutex mutex_;
  SpanData data_ KINFORMER_GUARDED_BY(mutex_);
};

// A span of a trace that is not recorded: only an identity for its children.
class SilentRecorder final : public SpanRecorder {
 public:
  explicit SilentRecorder(SpanContext context) : context_(std::move(context)) {}
  [[nodiscard]] const SpanContext& context() const override { return context_; }
  [[nodiscard]] bool recording() const override { return false; }
  void SetAttribute(const SpanAttribute& /*attribute*/) override {}
  void AddEvent(std::string_view /*name*/, WallTime /*when*/,
                std::span<const SpanAttribute> /*attributes*/) override {}
  void AddLink(const SpanContext& /*to*/) override {}
  void SetError(std::string_view /*description*/) override {}
  void End(WallTime /*when*/) override {}

 private:
  const SpanContext context_;
};

}  // namespace kinformer::internal::otlp

#endif  // KINFORMER_OTLP_RECORDER_H_
