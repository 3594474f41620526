// http/http1_connection.h
//
// Http1Connection: a connection that speaks HTTP/1.1: reads a request, has it answered, writes the
// answer, and again.

#ifndef KINFORMER_HTTP_HTTP1_CONNECTION_H_
#define KINFORMER_HTTP_HTTP1_CONNECTION_H_

#include <memory>
#include <string>

#include "http/connection.h"

namespace kinformer::internal::http {

// Takes over a socket that is ready. `peer_user`: who the client's certificate says it is; empty:
// it showed none. Requests that come while an answer is under way wait for their turn. Answers that
// are short go out together.
std::shared_ptr<Connection> NewHttp1Connection(ConnectionHost& host,
                                               std::unique_ptr<ByteStream> stream,
                                               std::string peer_user);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_HTTP1_CONNECTION_H_
