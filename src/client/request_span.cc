#include "client/request_span.h"

#include <chrono>
#include <optional>
#include <utility>

#include "client/url_template.h"

namespace kinformer::internal::client {
namespace {

double SecondsOf(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

std::unique_ptr<RequestSpan> RequestSpan::New(Env& env, const std::string& method,
                                              const std::string& target, const HttpHeaders& headers,
                                              const std::string& server) {
  if (env.tracer() == nullptr) return nullptr;
  const std::optional<SpanContext> parent =
      SpanContext::Of(headers.Get("traceparent"), headers.Get("tracestate"));
  const std::string path = UrlTemplate(target);
  // A parent that is not valid keeps unrelated spans of this thread away.
  const SpanContext none;
  Span span(env, method + " " + path,
            {.kind = SpanKind::kClient,
             .parent = parent ? &*parent : &none,
             .attributes = {{"http.request.method", method},
                            {"url.template", path},
                            {"kinformer.server", server},
                            {"kinformer.resource", ResourceOfTarget(target)}}});
  if (!span) return nullptr;
  return std::unique_ptr<RequestSpan>(new RequestSpan(std::move(span)));
}

void RequestSpan::AddTo(HttpHeaders& headers) const {
  const SpanContext& context = span_.context();
  if (!context.valid()) return;
  headers.Remove("traceparent");
  headers.Add("traceparent", context.Traceparent());
  if (context.tracestate.empty()) return;
  headers.Remove("tracestate");
  headers.Add("tracestate", context.tracestate);
}

void RequestSpan::Retries(const Error& why, Duration pause) const {
  span_.AddEvent("retry", {{"error.message", why.message()}, {"seconds", SecondsOf(pause)}});
}

void RequestSpan::Answered(int status) const {
  span_.AddEvent("answer began", {{"http.response.status_code", status}});
}

void RequestSpan::End(const RequestRecord& record) {
  if (record.status != 0) span_.SetAttribute("http.response.status_code", record.status);
  if (record.attempts > 1) {
    span_.SetAttribute("http.request.resend_count", record.attempts - 1);
  }
  if (record.throttled > Duration(0)) {
    span_.SetAttribute("kinformer.throttled_seconds", SecondsOf(record.throttled));
  }
  if (record.watch) span_.SetAttribute("kinformer.watch", true);
  if (record.error) {
    const bool by_caller = record.error->reason() == Reason::kCanceled;
    span_.SetAttribute("error.type", ReasonName(record.error->reason()));
    // Whoever ends its own request, as an informer ends its watch, has no error.
    if (!by_caller) span_.SetError(record.error->message());
  }
  span_.End();
}

}  // namespace kinformer::internal::client
