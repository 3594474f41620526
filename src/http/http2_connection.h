// http/http2_connection.h
//
// Http2Connection: a connection that speaks HTTP/2: many concurrent requests, whose responses are
// pulled as far as the stream's window, the connection's window and the socket allow. Framing,
// HPACK and flow control are libnghttp2's (decision 0010).

#ifndef KINFORMER_HTTP_HTTP2_CONNECTION_H_
#define KINFORMER_HTTP_HTTP2_CONNECTION_H_

#include <memory>

#include "http/connection.h"
#include "http/peer_identity.h"

namespace kinformer::internal::http {

// Takes ownership of a socket that negotiated HTTP/2. `peer`: subject of the client's certificate,
// used for all requests.
//
// Limits: streams, header bytes, bodies (each one, and all of a connection), responses not read (by
// the socket: closes the connection; by the stream's window: resets the stream), and frames to be
// sent on the client's behalf (settings, pings, resets). Null when out of memory.
std::shared_ptr<Connection> NewHttp2Connection(ConnectionHost& host,
                                               std::unique_ptr<ByteStream> stream,
                                               PeerIdentity peer);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_HTTP2_CONNECTION_H_
