// http/websocket_frames.h
//
// Frames of a WebSocket (RFC 6455), as a server reads and writes them.

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

// Returns the header of an unmasked frame that is a whole message of `size` bytes.
std::string WebSocketFrameHead(WebSocketOpcode opcode, std::size_t size);
// Returns a close frame with that status code.
std::string WebSocketCloseFrame(std::uint16_t code);

// Reads a client's frames and drops their data on arrival, so that a frame of any length costs only
// a few bytes. As Go's x/net/websocket in kube-apiserver, it ignores reserved bits, unknown
// opcodes, fragments of control frames and the order of fragments, and uses only the first 125
// bytes of a ping. Thread-compatible.
class WebSocketReader {
 public:
  enum class Event : std::uint8_t {
    kNone,      // all data was consumed
    kPing,      // a complete ping: see ping()
    kClose,     // the client closes
    kUnmasked,  // protocol error, as clients must mask; reading ends
    kTooLong,   // a frame exceeds the limit; reading ends
  };
  // Consumes from the front of `data` until the next event; nothing after one of the last three.
  Event Read(std::string_view& data);
  // Payload of the last ping, unmasked. Valid until the next Read.
  [[nodiscard]] std::string_view ping() const { return ping_; }

 private:
  static constexpr std::size_t kMaxControlPayload = 125;
  // Limit of a data frame's payload.
  static constexpr std::uint64_t kMaxPayload = std::uint64_t{32} << 20;

  [[nodiscard]] std::size_t HeadSize() const;
  Event TakeHead();
  void TakePayload(std::string_view part);
  Event EndFrame();

  std::array<char, 14> head_{};
  std::size_t head_size_ = 0;  // received bytes of the header
  bool in_payload_ = false;
  std::uint64_t left_ = 0;  // remaining bytes of the payload
  std::string ping_{};
  Event over_ = Event::kNone;
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_WEBSOCKET_FRAMES_H_
