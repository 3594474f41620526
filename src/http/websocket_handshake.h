// http/websocket_handshake.h
//
// How a request for a WebSocket is known, judged and answered (RFC 6455, 4).

#ifndef KINFORMER_HTTP_WEBSOCKET_HANDSHAKE_H_
#define KINFORMER_HTTP_WEBSOCKET_HANDSHAKE_H_

#include <memory>
#include <optional>
#include <string>

#include "kinformer/transport.h"

namespace kinformer::internal::http {

// What the request says of it.
struct WebSocketOffer {
  std::string version{};
  std::string key{};
  std::string origin{};
  std::string protocols{};
};

// Empty where the request does not ask for a WebSocket.
std::optional<WebSocketOffer> WebSocketOfferOf(const HttpRequest& request);

// The answer that refuses it, in the words of Go's x/net/websocket; null: it may be.
std::unique_ptr<ResponseStream> RefuseWebSocket(const WebSocketOffer& offer);

// The head of the answer that begins it.
std::string WebSocketAcceptance(const WebSocketOffer& offer);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_WEBSOCKET_HANDSHAKE_H_
