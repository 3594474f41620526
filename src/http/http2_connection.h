// http/http2_connection.h
//
// Http2Connection: a connection that speaks HTTP/2: many requests at once, each answer pulled as
// its stream's window, the connection's and the socket allow. Framing, HPACK and windows are
// libnghttp2's (decision 0010).

#ifndef KINFORMER_HTTP_HTTP2_CONNECTION_H_
#define KINFORMER_HTTP_HTTP2_CONNECTION_H_

#include <memory>
#include <string>

#include "http/connection.h"

namespace kinformer::internal::http {

// Takes over a socket on which HTTP/2 has been agreed upon. `peer_user`: who the client's
// certificate says it is, for all requests.
//
// Bounds: streams, header bytes, bodies (each, and what one connection may hold of them), answers
// that are not taken (by the socket: the connection ends; by the stream's window: the stream does),
// what the client makes us send (settings, pings, resets). Null when out of memory.
std::shared_ptr<Connection> NewHttp2Connection(ConnectionHost& host,
                                               std::unique_ptr<ByteStream> stream,
                                               std::string peer_user);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_HTTP2_CONNECTION_H_
