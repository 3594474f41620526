#include "http/websocket_handshake.h"

#include <string_view>
#include <utility>

#include "http/field_names.h"
#include "transport/responses.h"
#include "transport/websocket_frames.h"

namespace kinformer::internal::http {
namespace {

constexpr std::string_view kVersion = "13";

// Makes a refusal in plain text, as the handler's protocol is not known yet.
std::unique_ptr<transport::WholeBody> Refusal(int status, std::string text = {}) {
  return std::make_unique<transport::WholeBody>(status, HttpHeaders(), std::move(text));
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Returns whether `word` is in the comma-separated list.
bool Lists(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), item.size() + 1));
    if (SameFieldName(Trimmed(item), word)) return true;
  }
  return false;
}

// Returns whether the text is a URL with a scheme, or a path.
bool IsOrigin(std::string_view text) {
  return text.starts_with('/') || text.find("://") != std::string_view::npos;
}

}  // namespace

bool AsksForUpgrade(const HttpRequest& request) {
  return request.method == "GET" && request.headers.Has("upgrade") &&
         Lists(request.headers.Get("connection"), "upgrade");
}

std::optional<WebSocketOffer> WebSocketOfferOf(const HttpRequest& request) {
  const HttpHeaders& headers = request.headers;
  if (!AsksForUpgrade(request) || !SameFieldName(headers.Get("upgrade"), "websocket")) {
    return std::nullopt;
  }
  return WebSocketOffer{.version = std::string(headers.Get("sec-websocket-version")),
                        .key = std::string(headers.Get("sec-websocket-key")),
                        .origin = std::string(headers.Get("origin")),
                        .protocols = std::string(headers.Get("sec-websocket-protocol"))};
}

std::unique_ptr<ResponseStream> RefuseWebSocket(const WebSocketOffer& offer) {
  if (offer.key.empty()) return Refusal(400, "mismatch challenge/response");
  if (offer.version != kVersion) {
    auto refusal = Refusal(400, "missing or bad WebSocket Version");
    refusal->AddHeader("Sec-WebSocket-Version", kVersion);
    return refusal;
  }
  // Browsers send the origin of the page; a request without it is refused.
  if (!IsOrigin(offer.origin)) return Refusal(403);
  // A single protocol is accepted, whatever it is; several are refused.
  if (offer.protocols.find(',') != std::string::npos) return Refusal(400);
  return nullptr;
}

std::string WebSocketAcceptance(const WebSocketOffer& offer) {
  std::string head =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: " +
      transport::WebSocketAcceptKey(offer.key) + "\r\n";
  if (!offer.protocols.empty()) head += "Sec-WebSocket-Protocol: " + offer.protocols + "\r\n";
  return head + "\r\n";
}

}  // namespace kinformer::internal::http
