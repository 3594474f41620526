// http/websocket_connection.h
//
// WebSocketConnection: a former HTTP/1.1 connection after its upgrade to a WebSocket. Sends each
// message of the response's body as a frame.

#ifndef KINFORMER_HTTP_WEBSOCKET_CONNECTION_H_
#define KINFORMER_HTTP_WEBSOCKET_CONNECTION_H_

#include <memory>
#include <string>
#include <vector>

#include "kinformer/client/transport.h"

#include "http/answer.h"
#include "http/connection.h"
#include "http/outbox.h"
#include "http/request_policy.h"

namespace kinformer::internal::http {

// State taken over from the HTTP/1.1 connection.
struct WebSocketStart {
  Outbox out{};  // data to write; the upgrade response is its last part
  std::unique_ptr<Answer> answer{};
  std::vector<BodyChunk> chunks{};  // already pulled from the answer
  Answer::State state = Answer::State::kMore;
  MessageForm form = MessageForm::kLine;
  std::string input{};  // received after the request
};

// Pulls the answer only as fast as the client reads. Answers pings and drops all other data of the
// client. Closes with 1000 when the answer ends or the client closes, and with 1002 if the client
// does not mask its frames.
std::shared_ptr<Connection> NewWebSocketConnection(ConnectionHost& host,
                                                   std::unique_ptr<ByteStream> stream,
                                                   WebSocketStart start);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_WEBSOCKET_CONNECTION_H_
