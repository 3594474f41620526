#include "cache/watch/reflector_spans.h"

#include <cstdint>
#include <utility>

namespace kinformer::internal::cache {

std::unique_ptr<ReflectorSpans> ReflectorSpans::New(Env& env, const std::string& name) {
  if (env.tracer() == nullptr) return nullptr;
  return std::unique_ptr<ReflectorSpans>(new ReflectorSpans(env, name));
}

const Span& ReflectorSpans::OpenOf(const ReflectorSpans* spans) {
  static const Span kNone;
  return spans == nullptr ? kNone : spans->span_;
}

void ReflectorSpans::Begin(const std::string& what, const std::string& resource_version) {
  span_.End();
  const SpanContext earlier = span_.context();
  const SpanContext none;  // each begins a trace
  span_ = Span(env_, what + " " + name_,
               {.parent = &none,
                .attributes = {{"kinformer.informer", name_},
                               {"kinformer.resource_version", resource_version}}});
  span_.AddLink(earlier);
}

void ReflectorSpans::ListBegins(const char* kind, const std::string& resource_version) {
  Begin(kind, resource_version);
  watches_ = false;
}

void ReflectorSpans::Listed(std::size_t items) {
  span_.SetAttribute("kinformer.items", static_cast<std::int64_t>(items));
  span_.End();
}

void ReflectorSpans::WatchBegins(bool resumed, const std::string& resource_version) {
  Begin("watch", resource_version);
  watches_ = true;
  span_.SetAttribute("kinformer.resumed", resumed);
}

void ReflectorSpans::End(std::size_t events) {
  if (watches_) span_.SetAttribute("kinformer.events", static_cast<std::int64_t>(events));
  span_.End();
}

}  // namespace kinformer::internal::cache
