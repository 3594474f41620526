// kinformer/base/tracing.h
//
// Tracer: receives the library's spans: reconciles, requests, lists, watches and elections. Given
// in RuntimeOptions::tracer; without one there are no spans, and they cost one test of a pointer.
// otlp/otlp_tracer.h has one that sends them to a collector; docs/guide/observability.md shows an
// adapter for another SDK.
//
// Span: one piece of work, of the library or of the program:
//
//   Span span(env, "render", {.attributes = {{"template", "deployment"}}});
//   const SpanScope inside(span);  // requests on this thread are its children
//
// Ids, parents and links are those of the W3C trace context and of OpenTelemetry.

#ifndef KINFORMER_BASE_TRACING_H_
#define KINFORMER_BASE_TRACING_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "kinformer/base/env.h"

namespace kinformer {

// Identity of a span, in this process or another. Counterpart: trace.SpanContext.
struct SpanContext {
  std::array<std::uint8_t, 16> trace_id{};
  std::array<std::uint8_t, 8> span_id{};
  bool sampled{false};       // somebody records the trace
  std::string tracestate{};  // of vendors; empty: none

  // Returns true if neither id is zero.
  [[nodiscard]] bool valid() const;
  // Returns "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"; empty if not valid.
  [[nodiscard]] std::string Traceparent() const;
  // Reads such a text. Empty: it is malformed.
  [[nodiscard]] static std::optional<SpanContext> Of(std::string_view traceparent,
                                                     std::string_view tracestate = {});
  friend bool operator==(const SpanContext&, const SpanContext&) = default;
};

// Relation of a span to its parent and its children. Counterpart: trace.SpanKind.
enum class SpanKind : std::uint8_t { kInternal, kServer, kClient, kProducer, kConsumer };

// Value of an attribute. Who keeps it copies the text.
using SpanValue = std::variant<std::string_view, std::int64_t, double, bool>;

// Name and value.
struct SpanAttribute {
  std::string_view name{};
  SpanValue value{};
};

// The start of a span, for a Tracer. Valid during the call.
struct SpanStart {
  std::string_view name{};
  SpanKind kind{SpanKind::kInternal};
  const SpanContext* parent{nullptr};  // null: the span begins a trace
  std::span<const SpanContext> links{};
  std::span<const SpanAttribute> attributes{};
  WallTime begun{};
};

// One span of a Tracer. Thread-safe. Destroyed after its end. Exceptions are logged and counted;
// what was to be recorded is lost.
class SpanRecorder {
 public:
  virtual ~SpanRecorder() = default;
  // Returns its identity, which does not change.
  [[nodiscard]] virtual const SpanContext& context() const = 0;
  // Returns false if attributes and events are dropped and need not be made. Never changes.
  [[nodiscard]] virtual bool recording() const { return true; }
  virtual void SetAttribute(const SpanAttribute& attribute) = 0;
  virtual void AddEvent(std::string_view name, WallTime when,
                        std::span<const SpanAttribute> attributes) = 0;
  virtual void AddLink(const SpanContext& to) = 0;
  virtual void SetError(std::string_view description) = 0;
  // Called once, and last.
  virtual void End(WallTime when) = 0;
};

// Makes spans. Thread-safe; called on all threads, event loops included, so it must not block.
// Outlives its spans. Counterpart: trace.Tracer.
class Tracer {
 public:
  virtual ~Tracer() = default;
  // Returns null if there is to be no span.
  [[nodiscard]] virtual std::unique_ptr<SpanRecorder> StartSpan(const SpanStart& start) = 0;
};

class Span;

// How a span begins.
struct SpanOptions {
  SpanKind kind{SpanKind::kInternal};
  // Null: the current span of this thread (SpanScope), if it has one.
  const SpanContext* parent{nullptr};
  std::initializer_list<SpanAttribute> attributes{};
};

// Handle of a span, which ends with it. One that is empty, as all are without a Tracer, does
// nothing. Movable; the const functions are thread-safe. Env and Tracer must outlive it.
class Span {
 public:
  Span() = default;
  // Begins a span now.
  Span(Env& env, std::string_view name, const SpanOptions& options = {});
  Span(Span&& other) noexcept;
  Span& operator=(Span&& other) noexcept;
  ~Span();

  // Returns false if it is empty.
  [[nodiscard]] explicit operator bool() const { return recorder_ != nullptr; }
  // Returns false if attributes and events need not be made.
  [[nodiscard]] bool recording() const { return recording_; }
  // Returns its identity; one that is not valid() if it is empty.
  [[nodiscard]] const SpanContext& context() const { return context_; }
  void SetAttribute(std::string_view name, SpanValue value) const;
  void AddEvent(std::string_view name, std::initializer_list<SpanAttribute> attributes = {}) const;
  // Refers to another span, such as a cause, unless that is not valid().
  void AddLink(const SpanContext& to) const;
  // Marks the work as failed.
  void SetError(std::string_view description) const;
  // Ends it, and makes it empty, except for context().
  void End();

 private:
  Env* env_ = nullptr;
  std::unique_ptr<SpanRecorder> recorder_{};
  bool recording_ = false;
  SpanContext context_{};
  SteadyTime begun_{};
  WallTime wall_begun_{};
};

// Makes a span the current one of this thread during the life of this object: new spans and
// requests on this thread are its children. An empty span changes nothing. Scopes may be nested,
// and end in reverse order. Not for coroutines, which change threads: they pass a traceparent on.
class SpanScope {
 public:
  explicit SpanScope(const Span& span);
  ~SpanScope();
  SpanScope(const SpanScope&) = delete;
  SpanScope& operator=(const SpanScope&) = delete;

  // Returns this thread's current span; null: none.
  [[nodiscard]] static const Span* Current();
  // Returns Current()->context().Traceparent(); empty: none.
  [[nodiscard]] static std::string Traceparent();

 private:
  const Span* const outer_;
};

}  // namespace kinformer

#endif  // KINFORMER_BASE_TRACING_H_
