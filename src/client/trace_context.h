// client/trace_context.h
//
// The headers of W3C trace context: those that a call brings, else those of the thread's span.

#ifndef KINFORMER_CLIENT_TRACE_CONTEXT_H_
#define KINFORMER_CLIENT_TRACE_CONTEXT_H_

#include "kinformer/base/result.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/transport.h"

namespace kinformer::internal::client {

// Adds `traceparent` and `tracestate` to headers without them, as far as the call has them; if it
// has none, those of the current span of this thread (SpanScope).
// kInvalidArgument names the one that is malformed: a server would ignore it, and the trace would
// have a gap.
Result<void> AddTraceHeaders(const CallOptions& call, HttpHeaders& headers);

// Adds those of this thread's current span, if it has one, to headers without them.
void AddCurrentSpan(HttpHeaders& headers);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_TRACE_CONTEXT_H_
