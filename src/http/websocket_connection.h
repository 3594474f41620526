// http/websocket_connection.h
//
// WebSocketConnection: a former HTTP/1.1 connection after its upgrade to a WebSocket. Sends each
// message of the response's body as a frame.

#ifndef KINFORMER_HTTP_WEBSOCKET_CONNECTION_H_
#define KINFORMER_HTTP_WEBSOCKET_CONNECTION_H_

#include <memory>

#include "http/connection.h"
#include "http/request_policy.h"
#include "http/tunnel_connection.h"

namespace kinformer::internal::http {

// Pulls the answer only as fast as the client reads. Answers pings and drops all other data of the
// client. Closes with 1000 when the answer ends or the client closes, and with 1002 if the client
// does not mask its frames.
std::shared_ptr<Connection> NewWebSocketConnection(ConnectionHost& host,
                                                   std::unique_ptr<ByteStream> stream,
                                                   TunnelStart start, MessageForm form);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_WEBSOCKET_CONNECTION_H_
