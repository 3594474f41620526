// client/request_span.h
//
// RequestSpan: the span of one request with all its attempts, for the Env's tracer.

#ifndef KINFORMER_CLIENT_REQUEST_SPAN_H_
#define KINFORMER_CLIENT_REQUEST_SPAN_H_

#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/tracing.h"
#include "kinformer/client/request_record.h"
#include "kinformer/client/transport.h"

namespace kinformer::internal::client {

// Loop-confined. Names and attributes are those of OpenTelemetry's HTTP clients. The path is the
// template without names, so that there are few different ones; no header is in it.
class RequestSpan {
 public:
  // Begins a span, whose parent is that of the headers. Null if nobody traces. `server`: its URL.
  static std::unique_ptr<RequestSpan> New(Env& env, const std::string& method,
                                          const std::string& target, const HttpHeaders& headers,
                                          const std::string& server);

  // Makes the server's spans children of this one.
  void AddTo(HttpHeaders& headers) const;
  // The next attempt follows after `pause`.
  void Retries(const Error& why, Duration pause) const;
  // The answer of an attempt has begun.
  void Answered(int status) const;
  void End(const RequestRecord& record);

 private:
  explicit RequestSpan(Span span) : span_(std::move(span)) {}

  Span span_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_REQUEST_SPAN_H_
