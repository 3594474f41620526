// client/testing/websocket_server.h
//
// WebSocketServer: a Handler whose answers are WebSockets, as a test scripts them.

#ifndef KINFORMER_CLIENT_TESTING_WEBSOCKET_SERVER_H_
#define KINFORMER_CLIENT_TESTING_WEBSOCKET_SERVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"

#include "client/testing/scripted_server.h"
#include "transport/websocket_frames.h"

namespace kinformer::testing {

// Loop-confined. Tests may read the members while the simulation is stopped.
class WebSocketServer final : public Handler {
 public:
  using Reader = internal::transport::WebSocketReader;
  using Opcode = internal::transport::WebSocketOpcode;

  class Stream;
  std::string protocol = "v5.channel.k8s.io";
  bool answers_pings = true;
  bool wrong_key = false;
  // Called with each new WebSocket, and with each message of the client.
  std::function<void(Stream& stream)> on_open{};
  std::function<void(Stream& stream, const std::string& message)> on_message{};
  // The answer in place of a WebSocket, if it has a status.
  ScriptedResponse refusal{.status = 0};
  std::vector<HttpRequest> requests{};
  std::vector<Stream*> streams{};  // those that are open
  int pings = 0;

  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    requests.push_back(request);
    if (refusal.status != 0) {
      scripted_.script.push_back(refusal);
      return scripted_.Handle(std::move(request));
    }
    return std::make_unique<Stream>(*this, request);
  }

  class Stream final : public ResponseStream {
   public:
    Stream(WebSocketServer& server, const HttpRequest& request) : server_(server) {
      const std::string key(request.headers.Get("Sec-WebSocket-Key"));
      headers_.Add("Upgrade", "websocket");
      headers_.Add("Connection", "Upgrade");
      headers_.Add("Sec-WebSocket-Accept",
                   server.wrong_key ? "wrong" : internal::transport::WebSocketAcceptKey(key));
      headers_.Add("Sec-WebSocket-Protocol", server.protocol);
      server_.streams.push_back(this);
      if (server_.on_open) server_.on_open(*this);
    }
    ~Stream() override { std::erase(server_.streams, this); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    // Sends a message whose first byte is `channel`.
    void Send(int channel, std::string_view text) {
      Message(std::string(1, static_cast<char>(channel)).append(text));
    }
    void Message(std::string_view payload) {
      Raw(internal::transport::WebSocketFrameHead(Opcode::kBinary, payload.size()).append(payload));
    }
    void Close(std::uint16_t code = internal::transport::kWebSocketNormalClosure) {
      Raw(internal::transport::WebSocketCloseFrame(code));
      Cut();
    }
    void Raw(std::string bytes) {
      out_ += bytes;
      if (wake_) wake_();
    }
    // Ends the connection after what has been sent.
    void Cut() {
      ended_ = true;
      if (wake_) wake_();
    }

    [[nodiscard]] int status() const override { return 101; }
    [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
    State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
      if (out_.empty()) return ended_ ? State::kEnd : State::kWait;
      out.push_back(BodyChunk::Of(out_.substr(0, max_bytes)));
      out_.erase(0, max_bytes);
      return State::kMore;
    }
    void SetWake(std::function<void()> wake) override { wake_ = std::move(wake); }
    void Receive(std::string_view bytes) override {
      while (true) {
        switch (reader_.Read(bytes)) {
          case Reader::Event::kData:
            message_ += reader_.piece().bytes;
            if (!reader_.piece().ends) break;
            if (server_.on_message) server_.on_message(*this, std::exchange(message_, {}));
            break;
          case Reader::Event::kPing:
            ++server_.pings;
            if (!server_.answers_pings) break;
            Raw(internal::transport::WebSocketFrameHead(Opcode::kPong, 0));
            break;
          case Reader::Event::kPong:
            break;
          default:
            return;
        }
      }
    }

   private:
    WebSocketServer& server_;
    HttpHeaders headers_;
    std::function<void()> wake_;
    std::string out_;
    std::string message_;
    bool ended_ = false;
    Reader reader_{Reader::Sender::kClient, Reader::Data::kDelivered};
  };

 private:
  ScriptedServer scripted_;
};

// Makes the server's WebSockets connections to a port, in the way of kubelets: each of the two
// channels begins with its number. `on_bytes` gets what the client sends.
inline void ServePort(WebSocketServer& server, std::uint16_t port,
                      std::function<void(WebSocketServer::Stream&, const std::string&)> on_bytes) {
  server.protocol = "v4.channel.k8s.io";
  const std::string number{static_cast<char>(port & 0xff), static_cast<char>(port >> 8)};
  server.on_open = [number](WebSocketServer::Stream& stream) {
    stream.Send(0, number);
    stream.Send(1, number);
  };
  server.on_message = [on_bytes = std::move(on_bytes)](WebSocketServer::Stream& stream,
                                                       const std::string& message) {
    if (message[0] == 0) on_bytes(stream, message.substr(1));
  };
}

}  // namespace kinformer::testing

#endif  // KINFORMER_CLIENT_TESTING_WEBSOCKET_SERVER_H_
