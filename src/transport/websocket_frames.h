// transport/websocket_frames.h
//
// Frames of a WebSocket (RFC 6455), as both sides read and write them.

#ifndef KINFORMER_TRANSPORT_WEBSOCKET_FRAMES_H_
#define KINFORMER_TRANSPORT_WEBSOCKET_FRAMES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinformer::internal::transport {

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
// Returns a client's frame that is a whole message, masked with `mask`.
std::string MaskedWebSocketFrame(WebSocketOpcode opcode, std::string_view payload,
                                 std::uint32_t mask);

// Returns the value of Sec-WebSocket-Accept for one of Sec-WebSocket-Key.
std::string WebSocketAcceptKey(std::string_view key);

// Reads the frames of the other side, and drops or delivers their data on arrival, so that a frame
// of any length costs only a few bytes. As Go's x/net/websocket in kube-apiserver, it ignores
// reserved bits, unknown opcodes, fragments of control frames and the order of fragments, and uses
// only the first 125 bytes of a control frame. Thread-compatible.
class WebSocketReader {
 public:
  // Clients mask their frames, servers do not.
  enum class Sender : std::uint8_t { kClient, kServer };
  enum class Data : std::uint8_t { kDropped, kDelivered };
  enum class Event : std::uint8_t {
    kNone,       // all data was consumed
    kData,       // a piece of a message: see piece(). Only if data is delivered
    kPing,       // a complete ping: see control()
    kPong,       // a complete pong
    kClose,      // the other side closes: see control()
    kWrongMask,  // protocol error of a client that does not mask, or a server that does; reading
                 // ends
    kTooLong,    // a frame exceeds the limit; reading ends
  };
  explicit WebSocketReader(Sender sender = Sender::kClient, Data data = Data::kDropped)
      : sender_(sender), delivers_(data == Data::kDelivered) {}

  // Consumes from the front of `data` until the next event; nothing after one of the last three.
  Event Read(std::string_view& data);
  // Payload of the last ping or close, unmasked. Valid until the next Read.
  [[nodiscard]] std::string_view control() const { return control_; }
  // Returns the status code of a close frame; 1005 if it has none.
  [[nodiscard]] std::uint16_t close_code() const;

  struct Piece {
    std::string_view bytes{};  // unmasked; valid until the next Read, and while its `data` is
    bool begins = false;       // the message
    bool ends = false;
  };
  [[nodiscard]] const Piece& piece() const { return piece_; }

 private:
  static constexpr std::size_t kMaxControlPayload = 125;
  // Limit of a data frame's payload.
  static constexpr std::uint64_t kMaxPayload = std::uint64_t{32} << 20;

  [[nodiscard]] std::size_t HeadSize() const;
  [[nodiscard]] WebSocketOpcode opcode() const;
  [[nodiscard]] bool IsData() const;
  Event TakeHead();
  void TakePayload(std::string_view part);
  Event EndFrame();
  [[nodiscard]] char Unmasked(char byte, std::uint64_t at) const;

  const Sender sender_;
  const bool delivers_;
  std::array<char, 14> head_{};
  std::size_t head_size_ = 0;  // received bytes of the header
  bool in_payload_ = false;
  std::uint64_t left_ = 0;   // remaining bytes of the payload
  std::uint64_t taken_ = 0;  // bytes of the payload before the last piece
  std::string control_{};
  std::string unmasked_{};
  Piece piece_{};
  Event over_ = Event::kNone;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_WEBSOCKET_FRAMES_H_
