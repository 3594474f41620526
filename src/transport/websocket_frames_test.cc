// Frames of a WebSocket as bytes (RFC 6455, section 5).

#include "transport/websocket_frames.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::internal::transport {
namespace {

using Event = WebSocketReader::Event;
using namespace std::string_literals;
using namespace std::string_view_literals;

TEST(WebSocketFrames, HeadsOfAllLengths_AreExact) {
  struct Row {
    WebSocketOpcode opcode;
    std::size_t size;
    std::string head;
  };
  for (const Row& row : std::vector<Row>{
           {WebSocketOpcode::kText, 0, "\x81\x00"s},
           {WebSocketOpcode::kText, 125, "\x81\x7d"},
           {WebSocketOpcode::kBinary, 126, "\x82\x7e\x00\x7e"s},
           {WebSocketOpcode::kPong, 1, "\x8a\x01"},
           {WebSocketOpcode::kClose, 0x1234, "\x88\x7e\x12\x34"},
           {WebSocketOpcode::kText, 65535, "\x81\x7e\xff\xff"},
           {WebSocketOpcode::kText, 65536, "\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00"s},
           {WebSocketOpcode::kBinary, 0x0102030405060708,
            "\x82\x7f\x01\x02\x03\x04\x05\x06\x07\x08"}}) {
    EXPECT_EQ(WebSocketFrameHead(row.opcode, row.size), row.head) << row.size;
  }
  EXPECT_EQ(WebSocketCloseFrame(kWebSocketNormalClosure), "\x88\x02\x03\xe8");
  EXPECT_EQ(WebSocketCloseFrame(kWebSocketProtocolError), "\x88\x02\x03\xea");
}

// A client's frame with the mask "abcd".
std::string Masked(int first, const std::string& payload, int length_bytes = 0) {
  std::string frame(1, static_cast<char>(first));
  const std::size_t size = payload.size();
  if (length_bytes == 0) frame.push_back(static_cast<char>(0x80 | size));
  if (length_bytes == 2) frame.push_back(static_cast<char>(0x80 | 126));
  if (length_bytes == 8) frame.push_back(static_cast<char>(0x80 | 127));
  for (int i = length_bytes; i-- > 0;) frame.push_back(static_cast<char>(size >> (8 * i) & 0xff));
  frame += "abcd";
  for (std::size_t i = 0; i < size; ++i) {
    frame.push_back(static_cast<char>(payload[i] ^ "abcd"[i % 4]));
  }
  return frame;
}

// Reads all, `step` bytes at a time; returns the events, pings with their payload, and the pieces
// of messages between brackets.
std::string Events(std::string_view input, std::size_t step,
                   WebSocketReader reader = WebSocketReader()) {
  std::string events;
  while (!input.empty()) {
    std::string_view part = input.substr(0, step);
    input.remove_prefix(part.size());
    while (true) {
      const Event event = reader.Read(part);
      if (event == Event::kNone) {
        EXPECT_TRUE(part.empty()) << "all is consumed";
        break;
      }
      if (event == Event::kPing) {
        events += "ping(" + std::string(reader.control()) + ")";
        continue;
      }
      if (event == Event::kPong) continue;
      if (event == Event::kData) {
        const WebSocketReader::Piece& piece = reader.piece();
        events += (piece.begins ? "<" : "") + std::string(piece.bytes) + (piece.ends ? ">" : "");
        continue;
      }
      events += event == Event::kClose ? "close" : event == Event::kWrongMask ? "mask" : "long";
      EXPECT_EQ(reader.Read(part), event) << "nothing is read after it";
      return events;
    }
  }
  return events;
}

TEST(WebSocketFrames, ClientsFrames_GiveTheirEventsAndNoData) {
  const std::string text125(125, 'p');
  const std::string text130 = text125 + "rest!";
  struct Row {
    std::string input;
    std::string events;
  };
  for (const Row& row : std::vector<Row>{
           {Masked(0x81, "hello"), ""},
           {Masked(0x82, ""), ""},
           {Masked(0x01, "part") + Masked(0x80, "end"), ""},
           {Masked(0x89, ""), "ping()"},
           {Masked(0x89, "hello"), "ping(hello)"},
           {Masked(0x89, "a") + Masked(0x89, "bcdefghij"), "ping(a)ping(bcdefghij)"},
           {Masked(0x81, "x") + Masked(0x89, "y") + Masked(0x82, "z"), "ping(y)"},
           {Masked(0x8a, "pong"), ""},
           {Masked(0x89, text125), "ping(" + text125 + ")"},
           {Masked(0x89, text130, 2) + Masked(0x89, "2"), "ping(" + text125 + ")ping(2)"},
           {Masked(0x81, text130, 2) + Masked(0x89, "2"), "ping(2)"},
           {Masked(0x81, std::string(300, 'x'), 2) + Masked(0x89, "2"), "ping(2)"},
           {Masked(0x81, std::string(70000, 'x'), 8) + Masked(0x89, "2"), "ping(2)"},
           {Masked(0xf1, "reserved bits") + Masked(0x83, "unknown") + Masked(0xf9, "2"), "ping(2)"},
           {Masked(0x88, "") + Masked(0x89, "2"), "close"},
           {Masked(0x88, "\x03\xe8 bye") + Masked(0x89, "2"), "close"},
           {Masked(0x89, "1") + Masked(0x88, ""), "ping(1)close"},
           {"\x81\x05hello" + Masked(0x89, "2"), "mask"},
           {"\x89\x00"s + Masked(0x89, "2"), "mask"},
           {"\x88\x00"s, "mask"},
           // 32 MiB are allowed, one byte more is not.
           {"\x82\xff\x00\x00\x00\x00\x02\x00\x00\x00"s + "abcd" + "xyz", ""},
           {"\x82\xff\x00\x00\x00\x00\x02\x00\x00\x01"s + "abcd" + "xyz", "long"},
           {"\x80\xff\x00\x00\x00\x01\x00\x00\x00\x00"s + "abcd" + "xyz", "long"},
           {"\x82\xff\x40\x00\x00\x00\x00\x00\x00\x01"s + "abcd" + "x", "long"},
           // The first bit of a length is ignored.
           {"\x82\xff\x80\x00\x00\x00\x00\x00\x00\x01"s + "abcd" + "x" + Masked(0x89, "2"),
            "ping(2)"},
           // Control frames may have any length.
           {"\x89\xff\x00\x00\x00\x00\x02\x00\x00\x01"s + "abcd" + "xyz", ""},
           {"\x8a\xff\x00\x00\x00\x00\x02\x00\x00\x01"s + "abcd" + "xyz", ""},
           {"\x83\xff\x00\x00\x00\x00\x02\x00\x00\x01"s + "abcd" + "xyz", "long"}}) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, row.input.size()}) {
      SCOPED_TRACE(row.input.substr(0, 40) + " by " + std::to_string(step));
      EXPECT_EQ(Events(row.input, step), row.events);
    }
  }
}

TEST(WebSocketFrames, DeliveredMessages_AreWholeInAllPieces) {
  using Sender = WebSocketReader::Sender;
  const std::string longer(70000, 'x');
  struct Row {
    Sender sender;
    std::string input;
    std::string events;
  };
  for (const Row& row : std::vector<Row>{
           {Sender::kClient, Masked(0x81, "hello") + Masked(0x82, "you"), "<hello><you>"},
           {Sender::kClient, Masked(0x82, ""), "<>"},
           {Sender::kClient, Masked(0x02, "a") + Masked(0x89, "p") + Masked(0x80, "b"),
            "<aping(p)b>"},
           {Sender::kClient, Masked(0x82, longer, 8), "<" + longer + ">"},
           {Sender::kClient, Masked(0x83, "unknown") + Masked(0x82, "z"), "<z>"},
           {Sender::kServer, "\x82\x03two\x88\x02\x03\xe8"s, "<two>close"},
           {Sender::kServer, "\x82\x00\x89\x01p"s, "<>ping(p)"},
           {Sender::kServer, Masked(0x82, "hello"), "mask"}}) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, row.input.size()}) {
      SCOPED_TRACE(row.input.substr(0, 40) + " by " + std::to_string(step));
      EXPECT_EQ(
          Events(row.input, step, WebSocketReader(row.sender, WebSocketReader::Data::kDelivered)),
          row.events);
    }
  }
}

TEST(WebSocketFrames, AClientsFrame_IsReadAsItWas) {
  for (const std::size_t size : {0UL, 5UL, 125UL, 126UL, 65536UL}) {
    const std::string payload(size, 'p');
    const std::string frame = MaskedWebSocketFrame(WebSocketOpcode::kBinary, payload, 0x01020304);
    if (size == 5) {
      EXPECT_EQ(frame, "\x82\x85\x01\x02\x03\x04qrstq");
    }
    EXPECT_EQ(Events(frame, 1000,
                     WebSocketReader(WebSocketReader::Sender::kClient,
                                     WebSocketReader::Data::kDelivered)),
              "<" + payload + ">");
  }
}

TEST(WebSocketFrames, ACloseFrame_HasItsCodeAndText) {
  WebSocketReader reader(WebSocketReader::Sender::kServer);
  std::string_view frame = "\x88\x05\x03\xf3why";
  EXPECT_EQ(reader.Read(frame), Event::kClose);
  EXPECT_EQ(reader.close_code(), 1011);
  EXPECT_EQ(reader.control().substr(2), "why");
  WebSocketReader bare(WebSocketReader::Sender::kServer);
  std::string_view empty = "\x88\x00"sv;
  EXPECT_EQ(bare.Read(empty), Event::kClose);
  EXPECT_EQ(bare.close_code(), 1005);
}

TEST(WebSocketFrames, TheAcceptKey_IsThatOfTheRfc) {
  EXPECT_EQ(WebSocketAcceptKey("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

}  // namespace
}  // namespace kinformer::internal::transport
