// http/http2_frames_for_test.h
//
// Frames of HTTP/2 as a client sends them, byte by byte: for tests that decide which frames arrive
// together.

#ifndef KINFORMER_HTTP_HTTP2_FRAMES_FOR_TEST_H_
#define KINFORMER_HTTP_HTTP2_FRAMES_FOR_TEST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::internal::http {

constexpr std::uint8_t kDataFrame = 0;
constexpr std::uint8_t kHeadersFrame = 1;
constexpr std::uint8_t kResetFrame = 3;
constexpr std::uint8_t kSettingsFrame = 4;
constexpr std::uint8_t kPingFrame = 6;
constexpr std::uint8_t kWindowFrame = 8;
constexpr std::uint8_t kContinuationFrame = 9;
constexpr std::uint8_t kEndStream = 1;
constexpr std::uint8_t kEndHeaders = 4;
constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// Returns `value` in `bytes` bytes, the highest first.
inline std::string BigEndian(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) {
    text.push_back(static_cast<char>(static_cast<std::uint8_t>(value >> (8 * i))));
  }
  return text;
}

inline std::string Frame(std::uint8_t type, std::uint8_t flags, std::uint32_t id,
                         std::string_view payload = {}) {
  return BigEndian(static_cast<std::uint32_t>(payload.size()), 3) + static_cast<char>(type) +
         static_cast<char>(flags) + BigEndian(id, 4) + std::string(payload);
}

// Returns a field of a head, whose name and value have less than 127 bytes, uncompressed.
inline std::string Field(std::string_view name, std::string_view value) {
  return std::string(1, '\0') + static_cast<char>(name.size()) + std::string(name) +
         static_cast<char>(value.size()) + std::string(value);
}

// The fields of a request for "/" of host "h".
inline std::string RequestFields(std::string_view method) {
  return Field(":method", method) + "\x87\x84" + Field(":authority", "h");
}
inline std::string Get(std::uint32_t id) {
  return Frame(kHeadersFrame, kEndHeaders | kEndStream, id, RequestFields("GET"));
}
// The head of a request whose body follows.
inline std::string Put(std::uint32_t id, std::string_view more = {}) {
  return Frame(kHeadersFrame, kEndHeaders, id, RequestFields("PUT") + std::string(more));
}

// Bytes with which a client begins that can take all that the server sends.
inline std::string Greeting() {
  return std::string(kPreface) +
         Frame(kSettingsFrame, 0, 0, BigEndian(4, 2) + BigEndian(1U << 30, 4)) +
         Frame(kWindowFrame, 0, 0, BigEndian(1U << 30, 4));
}

struct ReceivedFrame {
  std::uint8_t type = 0;
  std::uint8_t flags = 0;
  std::uint32_t id = 0;
  std::string payload{};
};

// Returns the frames in the bytes of a server.
inline std::vector<ReceivedFrame> FramesIn(std::string_view bytes) {
  const auto number = [&](std::size_t at, std::size_t size) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + size; ++i) {
      value = (value << 8U) | static_cast<std::uint8_t>(bytes[i]);
    }
    return value;
  };
  std::vector<ReceivedFrame> frames;
  while (bytes.size() >= 9) {
    const std::size_t size = number(0, 3);
    frames.push_back({.type = static_cast<std::uint8_t>(bytes[3]),
                      .flags = static_cast<std::uint8_t>(bytes[4]),
                      .id = number(5, 4),
                      .payload = std::string(bytes.substr(9, size))});
    bytes.remove_prefix(std::min(bytes.size(), 9 + size));
  }
  return frames;
}

// Returns the payloads of those of one type, of one stream; in order.
inline std::vector<std::string> PayloadsIn(std::string_view bytes, std::uint8_t type,
                                           std::uint32_t id) {
  std::vector<std::string> payloads;
  for (const ReceivedFrame& frame : FramesIn(bytes)) {
    if (frame.type == type && frame.id == id) payloads.push_back(frame.payload);
  }
  return payloads;
}

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_HTTP2_FRAMES_FOR_TEST_H_
