// transport/contained_handler.h
//
// Calls a Handler and its streams, which are user code: an uncaught exception would abort a task of
// the loop, and its connection would wait forever.

#ifndef KINFORMER_TRANSPORT_CONTAINED_HANDLER_H_
#define KINFORMER_TRANSPORT_CONTAINED_HANDLER_H_

#include <memory>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/client/transport.h"

namespace kinformer::internal::transport {

// Wraps a response so that it never throws. Each exception is logged with the method's name and
// counted. After an exception in a method other than effect() or resumes_soon(), the inner response
// is not called again: it is replaced by a 500 if none of its body was read, else aborted. Null
// stays null.
// `of` describes the request: "GET /path".
std::unique_ptr<ResponseStream> Contained(Env& env, std::string of,
                                          std::unique_ptr<ResponseStream> response);

// Returns the contained response of `handler`; a 500 if it throws, null if it returns null.
std::unique_ptr<ResponseStream> HandleContained(Env& env, Handler& handler, HttpRequest request);

// Whether `handler` accepts the token; false if it throws. The token is never logged, whatever the
// exception says.
bool AcceptsContained(Env& env, const Handler& handler, const std::string& bearer_token);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_CONTAINED_HANDLER_H_
