#include "http/websocket_connection.h"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "http/websocket_messages.h"
#include "transport/websocket_frames.h"

namespace kinformer::internal::http {
namespace {

using transport::kWebSocketNormalClosure;
using transport::kWebSocketProtocolError;
using transport::WebSocketCloseFrame;
using transport::WebSocketFrameHead;
using transport::WebSocketOpcode;
using transport::WebSocketReader;

// Limit of unsent pongs; beyond it, reading pauses.
constexpr std::size_t kUnsentPongs = std::size_t{64} << 10;

class WebSocketConnection final : public TunnelConnection {
 public:
  WebSocketConnection(ConnectionHost& host, std::unique_ptr<ByteStream> stream, TunnelStart start,
                      MessageForm form)
      : TunnelConnection(host, std::move(stream), std::move(start)), messages_(form) {}

 private:
  void Frame(std::vector<BodyChunk> chunks) override {
    for (BodyChunk& chunk : chunks) messages_.Add(std::move(chunk), out());
  }
  void FrameEnd() override {
    messages_.End(out());
    out().Append(WebSocketCloseFrame(kWebSocketNormalClosure));
  }
  void TakeInput(std::string_view data) override {
    using Event = WebSocketReader::Event;
    while (!leaving()) {
      const Event event = reader_.Read(data);
      if (event == Event::kNone) return;
      if (event == Event::kPong) continue;
      if (event == Event::kPing) {
        const std::string_view said = reader_.control();
        out().Append(WebSocketFrameHead(WebSocketOpcode::kPong, said.size()));
        out().Append(said);
        continue;
      }
      if (event == Event::kWrongMask) out().Append(WebSocketCloseFrame(kWebSocketProtocolError));
      out().Append(WebSocketCloseFrame(kWebSocketNormalClosure));
      Leave();
    }
  }
  [[nodiscard]] bool Reads(std::size_t unsent) const override { return unsent < kUnsentPongs; }

  WebSocketMessages messages_;
  WebSocketReader reader_{};
};

}  // namespace

std::shared_ptr<Connection> NewWebSocketConnection(ConnectionHost& host,
                                                   std::unique_ptr<ByteStream> stream,
                                                   TunnelStart start, MessageForm form) {
  return std::make_shared<WebSocketConnection>(host, std::move(stream), std::move(start), form);
}

}  // namespace kinformer::internal::http
