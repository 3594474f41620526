// http/websocket_connection.h
//
// WebSocketConnection: a connection that was an HTTP/1.1 one until an answer became a WebSocket:
// each message of the answer's body is a frame.

#ifndef KINFORMER_HTTP_WEBSOCKET_CONNECTION_H_
#define KINFORMER_HTTP_WEBSOCKET_CONNECTION_H_

#include <memory>
#include <string>
#include <vector>

#include "kinformer/transport.h"

#include "http/answer.h"
#include "http/connection.h"
#include "http/outbox.h"
#include "http/request_policy.h"

namespace kinformer::internal::http {

// What it takes over.
struct WebSocketStart {
  Outbox out{};  // what is yet to be written, with the head that begins the WebSocket
  std::unique_ptr<Answer> answer{};
  std::vector<BodyChunk> chunks{};  // pulled from it already
  Answer::State state = Answer::State::kMore;
  MessageForm form = MessageForm::kLine;
  std::string input{};  // of the client, behind its request
};

// The answer is pulled no faster than the client takes it. Pings are answered; what else the client
// says is dropped. When the answer ends, or the client closes, it is closed with 1000; a client
// that does not mask is told 1002 before that.
std::shared_ptr<Connection> NewWebSocketConnection(ConnectionHost& host,
                                                   std::unique_ptr<ByteStream> stream,
                                                   WebSocketStart start);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_WEBSOCKET_CONNECTION_H_
