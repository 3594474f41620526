// http/websocket_frames.h
//
// The frames of a WebSocket (RFC 6455), as its server reads and writes them.

#ifndef KINFORMER_HTTP_WEBSOCKET_FRAMES_H_
#define KINFORMER_HTTP_WEBSOCKET_FRAMES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinformer::internal::http {

enum class WebSocketOpcode : std::uint8_t {
  kContinuation = 0,
  kText = 1,
  kBinary = 2,
  kClose = 8,
  kPing = 9,
  kPong = 10,
};

constexpr std::uint16_t kWebSocketNormalClosure = 1000;
constexpr std::uint16_t kWebSocketProtocolError = 1002;

// What stands before `size` bytes of payload: of a whole message, not masked.
std::string WebSocketFrameHead(WebSocketOpcode opcode, std::size_t size);
// A whole frame that says why this side ends.
std::string WebSocketCloseFrame(std::uint16_t code);

// Reads the frames of a client of which nobody wants the data: what it says is dropped as it comes,
// so a frame of any length costs a few bytes. As with Go's x/net/websocket, which stands in
// kube-apiserver: reserved bits, unknown opcodes, fragments of control frames and the order of
// fragments are not looked at, and of a ping only its first 125 bytes are. Thread-compatible.
class WebSocketReader {
 public:
  enum class Event : std::uint8_t {
    kNone,      // all of the data has been taken
    kPing,      // one has come whole: see ping()
    kClose,     // the client ends
    kUnmasked,  // a client must mask; nothing can be read any more
    kTooLong,   // neither
  };
  // Takes from the front of `data`, up to the next event. After one of the last three: nothing.
  Event Read(std::string_view& data);
  // What the ping said, unmasked. Valid until the next Read.
  [[nodiscard]] std::string_view ping() const { return ping_; }

 private:
  static constexpr std::size_t kMaxControlPayload = 125;
  // Of a frame of data.
  static constexpr std::uint64_t kMaxPayload = std::uint64_t{32} << 20;

  [[nodiscard]] std::size_t HeadSize() const;
  Event TakeHead();
  void TakePayload(std::string_view part);
  Event EndFrame();

  std::array<char, 14> head_{};
  std::size_t head_size_ = 0;  // bytes of it that are there
  bool in_payload_ = false;
  std::uint64_t left_ = 0;  // bytes of the payload that are to come
  std::string ping_{};
  Event over_ = Event::kNone;
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_WEBSOCKET_FRAMES_H_
