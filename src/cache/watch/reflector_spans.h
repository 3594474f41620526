// cache/watch/reflector_spans.h
//
// ReflectorSpans: the spans of a reflector's lists and watches. Each has a link to the one before,
// so that a list shows which watch's end has led to it.

#ifndef KINFORMER_CACHE_WATCH_REFLECTOR_SPANS_H_
#define KINFORMER_CACHE_WATCH_REFLECTOR_SPANS_H_

#include <cstddef>
#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/tracing.h"

namespace kinformer::internal::cache {

// Loop-confined. At most one span is open at a time; a new one ends it.
class ReflectorSpans {
 public:
  // Null if nobody traces. `name` of the reflector outlives this.
  static std::unique_ptr<ReflectorSpans> New(Env& env, const std::string& name);

  void ListBegins(const char* kind, const std::string& resource_version);
  void Listed(std::size_t items);
  void WatchBegins(bool resumed, const std::string& resource_version);
  // Something happened to the open span.
  void Event(const char* what) const { span_.AddEvent(what); }
  void Failed(const Error& error) const { span_.SetError(error.message()); }
  // Ends the open span, if there is one. `events`: of the watch.
  void End(std::size_t events);
  // Returns the open span, whose children the next requests are; `spans` may be null.
  [[nodiscard]] static const Span& OpenOf(const ReflectorSpans* spans);

 private:
  ReflectorSpans(Env& env, const std::string& name) : env_(env), name_(name) {}
  void Begin(const std::string& what, const std::string& resource_version);

  Env& env_;
  const std::string& name_;
  Span span_{};
  bool watches_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_REFLECTOR_SPANS_H_
