// The messages of bodies as frames of a WebSocket.

#include "http/websocket_messages.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::internal::http {
namespace {

using namespace std::string_literals;

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
