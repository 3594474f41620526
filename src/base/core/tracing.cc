#include "kinformer/base/tracing.h"

#include <algorithm>
#include <utility>

#include "base/core/user_call.h"

namespace kinformer {
namespace {

// "00-" + 32 digits of the trace + "-" + 16 of the span + "-" + 2 of the flags.
constexpr std::size_t kTraceparentSize = 55;
constexpr std::uint8_t kSampledFlag = 1;
constexpr std::string_view kTracer = "the tracer";

thread_local const Span* current_span = nullptr;

template <std::size_t kSize>
void AppendHex(const std::array<std::uint8_t, kSize>& bytes, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const std::uint8_t byte : bytes) {
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
}

// Returns the value of a lowercase hexadecimal digit; -1: it is none.
int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

template <std::size_t kSize>
bool ReadHex(std::string_view text, std::array<std::uint8_t, kSize>& out) {
  for (std::size_t i = 0; i < kSize; ++i) {
    const int high = DigitOf(text[2 * i]);
    const int low = DigitOf(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    out[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return true;
}

template <std::size_t kSize>
bool IsZero(const std::array<std::uint8_t, kSize>& bytes) {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

bool SpanContext::valid() const { return !IsZero(trace_id) && !IsZero(span_id); }

std::string SpanContext::Traceparent() const {
  if (!valid()) return {};
  std::string out;
  out.reserve(kTraceparentSize);
  out.append("00-");
  AppendHex(trace_id, out);
  out.push_back('-');
  AppendHex(span_id, out);
  out.append(sampled ? "-01" : "-00");
  return out;
}

std::optional<SpanContext> SpanContext::Of(std::string_view traceparent,
                                           std::string_view tracestate) {
  if (traceparent.size() < kTraceparentSize) return std::nullopt;
  std::array<std::uint8_t, 1> version{};
  std::array<std::uint8_t, 1> flags{};
  SpanContext out;
  const bool well_formed = ReadHex(traceparent.substr(0, 2), version) && traceparent[2] == '-' &&
                           ReadHex(traceparent.substr(3, 32), out.trace_id) &&
                           traceparent[35] == '-' &&
                           ReadHex(traceparent.substr(36, 16), out.span_id) &&
                           traceparent[52] == '-' && ReadHex(traceparent.substr(53, 2), flags);
  // Later versions may have more parts; there is no version ff.
  if (!well_formed || version[0] == 0xff || !out.valid()) return std::nullopt;
  const bool longer = traceparent.size() > kTraceparentSize;
  if (longer && (version[0] == 0 || traceparent[kTraceparentSize] != '-')) return std::nullopt;
  out.sampled = (flags[0] & kSampledFlag) != 0;
  out.tracestate = tracestate;
  return out;
}

Span::Span(Env& env, std::string_view name, const SpanOptions& options) {
  Tracer* const tracer = env.tracer();
  if (tracer == nullptr) return;
  env_ = &env;
  begun_ = env.Now();
  wall_begun_ = env.WallNow();
  const SpanContext* parent = options.parent;
  if (parent == nullptr && current_span != nullptr) parent = &current_span->context();
  if (parent != nullptr && !parent->valid()) parent = nullptr;
  (void)internal::base::CallUser(env, kTracer, [&] {
    std::unique_ptr<SpanRecorder> recorder =
        tracer->StartSpan({.name = name,
                           .kind = options.kind,
                           .parent = parent,
                           .attributes = {options.attributes.begin(), options.attributes.size()},
                           .begun = wall_begun_});
    if (recorder == nullptr) return;
    SpanContext context = recorder->context();
    recording_ = recorder->recording();
    context_ = std::move(context);
    recorder_ = std::move(recorder);
  });
}

Span::Span(Span&& other) noexcept
    : env_(other.env_),
      recorder_(std::move(other.recorder_)),
      recording_(std::exchange(other.recording_, false)),
      context_(std::exchange(other.context_, {})),
      begun_(other.begun_),
      wall_begun_(other.wall_begun_) {}

Span& Span::operator=(Span&& other) noexcept {
  if (this == &other) return *this;
  End();
  env_ = other.env_;
  recorder_ = std::move(other.recorder_);
  recording_ = std::exchange(other.recording_, false);
  context_ = std::exchange(other.context_, {});
  begun_ = other.begun_;
  wall_begun_ = other.wall_begun_;
  return *this;
}

Span::~Span() { End(); }

void Span::SetAttribute(std::string_view name, SpanValue value) const {
  if (!recording_) return;
  (void)internal::base::CallUser(*env_, kTracer, [&] { recorder_->SetAttribute({name, value}); });
}

void Span::AddEvent(std::string_view name, std::initializer_list<SpanAttribute> attributes) const {
  if (!recording_) return;
  const WallTime when = wall_begun_ + (env_->Now() - begun_);
  (void)internal::base::CallUser(*env_, kTracer, [&] {
    recorder_->AddEvent(name, when, {attributes.begin(), attributes.size()});
  });
}

void Span::AddLink(const SpanContext& to) const {
  if (!recording_ || !to.valid()) return;
  (void)internal::base::CallUser(*env_, kTracer, [&] { recorder_->AddLink(to); });
}

void Span::SetError(std::string_view description) const {
  if (!recording_) return;
  (void)internal::base::CallUser(*env_, kTracer, [&] { recorder_->SetError(description); });
}

void Span::End() {
  if (recorder_ == nullptr) return;
  // The length is that of the steady clock, whatever happens to the other one meanwhile.
  const WallTime when = wall_begun_ + (env_->Now() - begun_);
  recording_ = false;
  const std::unique_ptr<SpanRecorder> recorder = std::move(recorder_);
  (void)internal::base::CallUser(*env_, kTracer, [&] { recorder->End(when); });
}

SpanScope::SpanScope(const Span& span) : outer_(current_span) {
  if (span) current_span = &span;
}

SpanScope::~SpanScope() { current_span = outer_; }

const Span* SpanScope::Current() { return current_span; }

std::string SpanScope::Traceparent() {
  return current_span == nullptr ? std::string() : current_span->context().Traceparent();
}

}  // namespace kinformer
