// base/core/testing/recorded_spans.h
//
// RecordedSpans: a Tracer that keeps its spans for a test, with ids 1, 2, 3.

#ifndef KINFORMER_BASE_CORE_TESTING_RECORDED_SPANS_H_
#define KINFORMER_BASE_CORE_TESTING_RECORDED_SPANS_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kinformer/base/tracing.h"

namespace kinformer::internal::base {

// One span, as a test reads it.
struct RecordedSpan {
  std::string name{};
  SpanKind kind{};
  SpanContext context{};
  std::uint64_t id = 0;
  std::uint64_t parent = 0;  // 0: none here
  std::vector<std::uint64_t> links{};
  std::map<std::string, std::string> attributes{};
  std::vector<std::string> events{};
  std::optional<std::string> error{};
  WallTime begun{};
  std::optional<WallTime> ended{};
};

// Thread-safe.
class RecordedSpans final : public Tracer {
 public:
  std::unique_ptr<SpanRecorder> StartSpan(const SpanStart& start) override {
    auto span = std::make_shared<RecordedSpan>();
    span->name = start.name;
    span->kind = start.kind;
    span->begun = start.begun;
    const std::lock_guard lock(mutex_);
    span->id = spans_.size() + 1;
    span->context.sampled = true;
    SetId(span->id, span->context.span_id);
    if (start.parent != nullptr) {
      span->parent = IdOf(*start.parent);
      span->context.trace_id = start.parent->trace_id;
    } else {
      SetId(span->id, span->context.trace_id);
    }
    for (const SpanContext& link : start.links) span->links.push_back(IdOf(link));
    for (const SpanAttribute& attribute : start.attributes) Put(attribute, *span);
    spans_.push_back(span);
    return std::make_unique<Recorder>(*this, std::move(span));
  }

  // Returns copies of the spans so far, in the order of their start.
  [[nodiscard]] std::vector<RecordedSpan> All() const {
    const std::lock_guard lock(mutex_);
    std::vector<RecordedSpan> out;
    for (const auto& span : spans_) out.push_back(*span);
    return out;
  }
  // Returns those with this name.
  [[nodiscard]] std::vector<RecordedSpan> Named(std::string_view name) const {
    std::vector<RecordedSpan> out = All();
    std::erase_if(out, [&](const RecordedSpan& span) { return span.name != name; });
    return out;
  }
  [[nodiscard]] std::vector<std::string> Names() const {
    std::vector<std::string> out;
    for (const RecordedSpan& span : All()) out.push_back(span.name);
    return out;
  }

 private:
  class Recorder final : public SpanRecorder {
   public:
    Recorder(RecordedSpans& all, std::shared_ptr<RecordedSpan> span)
        : all_(all), span_(std::move(span)) {}
    [[nodiscard]] const SpanContext& context() const override { return span_->context; }
    void SetAttribute(const SpanAttribute& attribute) override {
      const std::lock_guard lock(all_.mutex_);
      Put(attribute, *span_);
    }
    void AddEvent(std::string_view name, WallTime /*when*/,
                  std::span<const SpanAttribute> /*attributes*/) override {
      const std::lock_guard lock(all_.mutex_);
      span_->events.emplace_back(name);
    }
    void AddLink(const SpanContext& to) override {
      const std::lock_guard lock(all_.mutex_);
      span_->links.push_back(IdOf(to));
    }
    void SetError(std::string_view description) override {
      const std::lock_guard lock(all_.mutex_);
      span_->error = description;
    }
    void End(WallTime when) override {
      const std::lock_guard lock(all_.mutex_);
      span_->ended = when;
    }

   private:
    RecordedSpans& all_;
    const std::shared_ptr<RecordedSpan> span_;
  };

  static std::uint64_t IdOf(const SpanContext& context) {
    std::uint64_t id = 0;
    for (const std::uint8_t byte : context.span_id) id = id << 8 | byte;
    return id;
  }
  template <class Bytes>
  static void SetId(std::uint64_t id, Bytes& bytes) {
    std::ranges::for_each(bytes.rbegin(), bytes.rend(), [&](std::uint8_t& byte) {
      byte = static_cast<std::uint8_t>(id);
      id >>= 8;
    });
  }
  static void Put(const SpanAttribute& attribute, RecordedSpan& span) {
    span.attributes[std::string(attribute.name)] = std::visit(
        [](const auto& value) {
          if constexpr (std::is_same_v<decltype(value), const std::string_view&>) {
            return std::string(value);
          } else if constexpr (std::is_same_v<decltype(value), const bool&>) {
            return std::string(value ? "true" : "false");
          } else {
            return std::to_string(value);
          }
        },
        attribute.value);
  }

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<RecordedSpan>> spans_;
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_TESTING_RECORDED_SPANS_H_
