// e2e/null_tracer.h
//
// NullTracer: records every span as an SDK does, and throws it away at its end.

#ifndef KINFORMER_BENCH_E2E_NULL_TRACER_H_
#define KINFORMER_BENCH_E2E_NULL_TRACER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kinformer/base/tracing.h"

namespace kinformer::bench {

class NullTracer final : public Tracer {
 public:
  [[nodiscard]] std::unique_ptr<SpanRecorder> StartSpan(const SpanStart& start) override {
    const std::uint64_t number = started_.fetch_add(1, std::memory_order_relaxed) + 1;
    return std::make_unique<Recorder>(start, number);
  }
  [[nodiscard]] std::uint64_t started() const { return started_.load(); }

 private:
  // Keeps all that it is told.
  class Recorder final : public SpanRecorder {
   public:
    Recorder(const SpanStart& start, std::uint64_t number) : name_(start.name) {
      if (start.parent != nullptr) context_ = *start.parent;
      if (start.parent == nullptr) std::memcpy(context_.trace_id.data(), &number, sizeof(number));
      std::memcpy(context_.span_id.data(), &number, sizeof(number));
      context_.sampled = true;
      links_.assign(start.links.begin(), start.links.end());
      for (const SpanAttribute& attribute : start.attributes) Keep(attribute);
    }
    [[nodiscard]] const SpanContext& context() const override { return context_; }
    void SetAttribute(const SpanAttribute& attribute) override { Keep(attribute); }
    void AddEvent(std::string_view name, WallTime /*when*/,
                  std::span<const SpanAttribute> attributes) override {
      attributes_.emplace_back("event", name);
      for (const SpanAttribute& attribute : attributes) Keep(attribute);
    }
    void AddLink(const SpanContext& to) override { links_.push_back(to); }
    void SetError(std::string_view description) override { error_ = description; }
    void End(WallTime /*when*/) override {}

   private:
    void Keep(const SpanAttribute& attribute) {
      const auto* const text = std::get_if<std::string_view>(&attribute.value);
      attributes_.emplace_back(attribute.name, text == nullptr ? std::string_view() : *text);
    }

    const std::string name_;
    SpanContext context_{};
    std::vector<SpanContext> links_;
    std::vector<std::pair<std::string, std::string>> attributes_;
    std::string error_;
  };

  std::atomic<std::uint64_t> started_{0};
};

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_E2E_NULL_TRACER_H_
