// http/websocket_handshake.h
//
// Detection, validation and acceptance of WebSocket requests (RFC 6455, section 4).

#ifndef KINFORMER_HTTP_WEBSOCKET_HANDSHAKE_H_
#define KINFORMER_HTTP_WEBSOCKET_HANDSHAKE_H_

#include <memory>
#include <optional>
#include <string>

#include "kinformer/client/transport.h"

namespace kinformer::internal::http {

// WebSocket headers of a request.
struct WebSocketOffer {
  std::string version{};
  std::string key{};
  std::string origin{};
  std::string protocols{};
};

// Returns whether the request asks to change to another protocol.
bool AsksForUpgrade(const HttpRequest& request);

// Returns nullopt if the request asks for no WebSocket.
std::optional<WebSocketOffer> WebSocketOfferOf(const HttpRequest& request);

// Returns the refusal, with the messages of Go's x/net/websocket; null: it is accepted.
std::unique_ptr<ResponseStream> RefuseWebSocket(const WebSocketOffer& offer);

// Returns the response head that begins the WebSocket.
std::string WebSocketAcceptance(const WebSocketOffer& offer);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_WEBSOCKET_HANDSHAKE_H_
