// Frames of a WebSocket as bytes (RFC 6455, section 5), and the messages of bodies as frames.

#include "http/websocket_frames.h"

#include <gtest/gtest.h>
#include <string>

#include "http/websocket_messages.h"

namespace kinformer::internal::http {
namespace {

using Event = WebSocketReader::Event;
using namespace std::string_literals;

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

// Reads all, `step` bytes at a time; returns the events, pings with their payload.
std::string Events(std::string_view input, std::size_t step) {
  WebSocketReader reader;
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
        events += "ping(" + std::string(reader.ping()) + ")";
        continue;
      }
      events += event == Event::kClose ? "close" : event == Event::kUnmasked ? "unmasked" : "long";
      EXPECT_EQ(reader.Read(part), event) << "nothing is read after it";
      return events;
    }
  }
  return events;
}

TEST(WebSocketFrames, ClientsFrames_GiveTheirEvents) {
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
           {"\x81\x05hello" + Masked(0x89, "2"), "unmasked"},
           {"\x89\x00"s + Masked(0x89, "2"), "unmasked"},
           {"\x88\x00"s, "unmasked"},
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

std::string Written(const Outbox& out) {
  std::vector<std::string_view> pieces;
  out.Front(pieces);
  std::string all;
  for (const std::string_view piece : pieces) all += piece;
  return all;
}

struct MessageRow {
  MessageForm form;
  std::string body;
  std::string frames;  // while the body goes on
  std::string end;     // at its end
};

TEST(WebSocketMessagesTest, EachMessage_IsAFrame) {
  using enum MessageForm;
  const std::string longer(300, 'm');
  for (const MessageRow& row : std::vector<MessageRow>{
           {kLine, "", "", ""},
           {kLine, "a\n",
            "\x81\x02"
            "a\n",
            ""},
           {kLine, "a\nbc\n\n",
            "\x81\x02"
            "a\n"
            "\x81\x03"
            "bc\n"
            "\x81\x01"
            "\n",
            ""},
           {kLine, "a\nrest",
            "\x81\x02"
            "a\n",
            "\x81\x04"
            "rest"},
           {kLine, "r", "", "\x81\x01r"},
           {kLine, longer + "\n", "\x81\x7e\x01\x2d" + longer + "\n", ""},
           {kLengthBefore, "\x00\x00\x00\x01\n"s, "\x82\x01\n", ""},
           {kLengthBefore,
            "\x00\x00\x00\x03"
            "abc"
            "\x00\x00\x00\x02"
            "de"s,
            "\x82\x03"
            "abc"
            "\x82\x02"
            "de",
            ""},
           {kLengthBefore, "\x00\x00\x00\x00"s, "\x82\x00"s, ""},
           {kLengthBefore, "\x00\x00\x00\x00\x00\x00\x00\x01z"s, "\x82\x00\x82\x01z"s, ""},
           {kLengthBefore, "\x00\x00\x01\x2c"s + longer, "\x82\x7e\x01\x2c" + longer, ""},
           {kLengthBefore,
            "\x00\x00\x00\x05"
            "abc"s,
            "",
            "\x82\x03"
            "abc"},
           {kLengthBefore, "\x00\x00\x00"s, "", ""},
           {kLengthBefore,
            "\x01\x00\x00\x00"
            "abc"s,
            "",
            "\x82\x03"
            "abc"}}) {
    for (const std::size_t step :
         {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{1000}}) {
      SCOPED_TRACE(row.body + " by " + std::to_string(step));
      Outbox out;
      WebSocketMessages messages(row.form);
      for (std::size_t at = 0; at < row.body.size(); at += step) {
        messages.Add(BodyChunk::Of(row.body.substr(at, step)), out);
      }
      EXPECT_EQ(Written(out), row.frames);
      messages.End(out);
      EXPECT_EQ(Written(out), row.frames + row.end);
      messages.End(out);
      EXPECT_EQ(Written(out), row.frames + row.end) << "ended only once";
    }
  }
}

TEST(WebSocketMessagesTest, LongMessages_AreNotCopied) {
  const auto owner = std::make_shared<const std::string>(std::string(2000, 'x') + "\n");
  Outbox out;
  WebSocketMessages messages(MessageForm::kLine);
  messages.Add({.bytes = *owner, .owner = owner}, out);
  EXPECT_EQ(owner.use_count(), 2);
  std::vector<std::string_view> pieces;
  out.Front(pieces);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[1].data(), owner->data());
  out.Clear();
  EXPECT_EQ(owner.use_count(), 1) << "nothing is held between messages";
}

}  // namespace
}  // namespace kinformer::internal::http
