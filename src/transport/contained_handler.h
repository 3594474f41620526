// transport/contained_handler.h
//
// Calls of a Handler and of the streams that it gives, which are the user's: what they throw would
// end a task of the loop in its middle, and the connection that waits for it would wait for ever.

#ifndef KINFORMER_TRANSPORT_CONTAINED_HANDLER_H_
#define KINFORMER_TRANSPORT_CONTAINED_HANDLER_H_

#include <memory>
#include <string>

#include "kinformer/env.h"
#include "kinformer/transport.h"

namespace kinformer::internal::transport {

// A response that throws nothing, in front of one that may. Each throw is logged with the method's
// name, and counted. One that has thrown, unless it was in effect() or resumes_soon(), is asked
// nothing any more: where nothing of its body has been read yet, a 500 stands in its place, and
// else it is aborted. Null stays null.
// `of` says for what: "GET /path".
std::unique_ptr<ResponseStream> Contained(Env& env, std::string of,
                                          std::unique_ptr<ResponseStream> response);

// What `handler` answers, contained like that; the 500, if it throws. Null: it gave nothing.
std::unique_ptr<ResponseStream> HandleContained(Env& env, Handler& handler, HttpRequest request);

// Whether `handler` accepts the token; not, if it throws. The token is in no log, whatever is
// thrown.
bool AcceptsContained(Env& env, const Handler& handler, const std::string& bearer_token);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_CONTAINED_HANDLER_H_
