// ListSplitter and WatchFramer at their limits: objects of exactly the limit and one byte more, how
// much of an oversize object is kept, and errors, which must not depend on how a body is cut.

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "wire/envelope.h"
#include "wire/json_scanner.h"
#include "wire/list_splitter.h"
#include "wire/protobuf_writer.h"
#include "wire/testing/feed.h"
#include "wire/testing/guarded_text.h"
#include "wire/watch_framer.h"

namespace kinformer::wire {
namespace {

using internal::Encoding;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Accepts that oversize items are skipped, and records how much of them was kept.
class Sizes final : public ListSplitter::Sink, public WatchFramer::Sink {
 public:
  Result<void> OnItem(std::string_view item, const JsonBitmap*) override {
    taken.push_back(item.size());
    return {};
  }
  Result<void> OnTooLarge(std::string_view front, Error error) override {
    EXPECT_EQ(error.reason(), Reason::kOverLimit);
    kept.push_back(front.size());
    errors.push_back(error.message());
    return {};
  }
  Result<void> OnFrame(const WatchFrame& frame) override {
    taken.push_back(frame.object.size());
    return {};
  }
  Result<void> OnTooLarge(const WatchFrame& front, Error error) override {
    return OnTooLarge(front.object, std::move(error));
  }
  std::vector<std::size_t> taken;
  std::vector<std::size_t> kept;
  std::vector<std::string> errors;
};

std::string ProtobufList(const std::vector<std::size_t>& sizes) {
  std::string list;
  ProtobufWriter writer(list);
  for (const std::size_t size : sizes) writer.BytesField(2, std::string(size, 'i'));
  return SealEnvelope("v1", "L", list);
}

// Returns an object of this size in bytes.
std::string JsonObject(std::size_t size) {
  return R"({"a":")" + std::string(size - 8, 'x') + "\"}";
}

std::string JsonList(const std::vector<std::size_t>& sizes) {
  std::string list = R"({"kind":"L","items":[)";
  for (const std::size_t size : sizes) {
    if (list.back() != '[') list += ',';
    list += JsonObject(size);
  }
  return list + "]}";
}

std::string ProtobufEvent(std::string_view type, std::size_t size) {
  std::string event;
  ProtobufWriter writer(event);
  writer.BytesField(1, type);
  writer.Nested(2, [&](ProtobufWriter& raw) {
    raw.BytesField(1, SealEnvelope("v1", "K", std::string(size, 'o')));
  });
  std::string head(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) head[3 - i] = static_cast<char>(event.size() >> (8 * i));
  return head + event;
}

std::string JsonEvent(std::size_t size) {
  return R"({"type":"ADDED","object":)" + JsonObject(size) + "}";
}

constexpr std::size_t kPieces[] = {1, 2, 7, 64, 1000, 1U << 20U};

TEST(Limits, ItemsAreTakenUpToTheLimitAndNotBeyond) {
  for (const Encoding encoding : {Encoding::kProtobuf, Encoding::kJson}) {
    for (const std::size_t limit : {std::size_t{40}, std::size_t{64}, std::size_t{200}}) {
      const std::vector<std::size_t> sizes = {limit, limit - 1, limit + 1, 20, limit};
      const std::string body =
          encoding == Encoding::kProtobuf ? ProtobufList(sizes) : JsonList(sizes);
      for (const std::size_t piece : kPieces) {
        SCOPED_TRACE(piece);
        ListSplitter splitter(encoding, limit);
        Sizes items;
        ASSERT_TRUE(FeedInPieces(splitter, items, body, piece).ok());
        EXPECT_THAT(items.taken, ElementsAre(limit, limit - 1, 20, limit));
        ASSERT_EQ(items.errors.size(), 1U);
        EXPECT_THAT(items.errors[0],
                    HasSubstr(", after 2 items: an object of " + std::to_string(limit + 1) +
                              " bytes or more; the "
                              "limit is " +
                              std::to_string(limit) + ";"));
      }
    }
  }
}

// The limit applies to the members of the list that are read; none of them can be skipped.
TEST(Limits, MembersOfJsonListsAreTakenUpToTheLimitAndNotBeyond) {
  for (const std::size_t size : {40U, 41U}) {
    for (const std::string& body : {R"({"metadata":)" + JsonObject(size) + "}",
                                    R"({"kind":")" + std::string(size - 2, 'k') + "\"}",
                                    "{\"" + std::string(size - 2, 'n') + "\":1}"}) {
      for (const std::size_t piece : kPieces) {
        ListSplitter splitter(Encoding::kJson, 40);
        Sizes items;
        const Result<void> done = FeedInPieces(splitter, items, body, piece);
        ASSERT_EQ(done.ok(), size == 40) << body << piece;
        if (done.ok()) continue;
        EXPECT_EQ(done.error().reason(), Reason::kOverLimit);
        EXPECT_THAT(done.error().message(), HasSubstr("after 0 items: an object of 41 bytes"));
        EXPECT_TRUE(items.errors.empty());
      }
    }
  }
  // In pieces the error is reported before the member ends.
  for (const std::size_t piece : kPieces) {
    ListSplitter splitter(Encoding::kJson, 40);
    Sizes items;
    const Result<void> done =
        FeedInPieces(splitter, items, R"({"metadata":)" + JsonObject(100) + "}", piece);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().reason(), Reason::kOverLimit);
    EXPECT_TRUE(items.errors.empty());
  }
  // Members that are not read may be of any size.
  const std::string other = R"({"other":)" + JsonObject(1000) + R"(,"kind":"L"})";
  for (const std::size_t piece : kPieces) {
    ListSplitter splitter(Encoding::kJson, 40);
    Sizes items;
    ASSERT_TRUE(FeedInPieces(splitter, items, other, piece).ok());
    EXPECT_EQ(splitter.head().kind, "L");
  }
}

TEST(Limits, EventsAreTakenUpToTheLimitAndNotBeyond) {
  constexpr std::size_t kBeside = 60;
  const std::size_t json_head = JsonEvent(20).size() - 20;
  const std::size_t head = ProtobufEvent("ADDED", 20).size() - 4 - 20;
  for (const Encoding encoding : {Encoding::kProtobuf, Encoding::kJson}) {
    constexpr std::size_t kLimit = 50;
    // Largest object whose frame still fits into the limit for frames.
    const std::size_t most = kLimit + kBeside - (encoding == Encoding::kJson ? json_head : head);
    std::string body;
    for (const std::size_t size : {most, most + 1, most - 1}) {
      body += encoding == Encoding::kJson ? JsonEvent(size) : ProtobufEvent("ADDED", size);
    }
    for (const std::size_t piece : kPieces) {
      SCOPED_TRACE(piece);
      WatchFramer framer(encoding, kLimit, kBeside);
      Sizes events;
      ASSERT_TRUE(FeedInPieces(framer, events, body, piece).ok());
      EXPECT_THAT(events.taken, ElementsAre(most, most - 1));
      ASSERT_EQ(events.errors.size(), 1U);
      EXPECT_THAT(events.errors[0], HasSubstr(": an object of about 111 bytes or more; the limit "
                                              "is 50;"));
    }
  }
}

// Enough for the metadata, which comes first and contains the name.
TEST(Limits, OversizeProtobuf_First64KiBAreKept) {
  constexpr std::size_t kFront = std::size_t{64} << 10U;
  for (const std::size_t piece : {std::size_t{1000}, std::size_t{1} << 20U}) {
    ListSplitter splitter(Encoding::kProtobuf, 1000);
    Sizes items;
    const std::vector<std::size_t> sizes = {1001, kFront - 1, kFront, kFront + 1, 200000};
    ASSERT_TRUE(FeedInPieces(splitter, items, ProtobufList(sizes), piece).ok());
    EXPECT_THAT(items.kept, ElementsAre(1001, kFront - 1, kFront, kFront, kFront));
    EXPECT_TRUE(items.taken.empty());

    WatchFramer framer(Encoding::kProtobuf, 1000);
    Sizes events;
    std::string body;
    for (const std::size_t size : sizes) body += ProtobufEvent("MODIFIED", size);
    ASSERT_TRUE(FeedInPieces(framer, events, body, piece).ok());
    // Bytes of the frame besides the object: 35 before it and 4 behind it.
    const std::size_t head = ProtobufEvent("MODIFIED", kFront).size() - 4 - kFront - 4;
    EXPECT_THAT(events.kept,
                ElementsAre(1001, kFront - head, kFront - head, kFront - head, kFront - head));
  }
}

TEST(Limits, FrameOf256MiB_EndsWatch) {
  for (const char last : {'\xff', '\0'}) {
    // One byte less than 256 MiB, and exactly that.
    const std::string head = last == '\0' ? std::string("\x10\0\0\0", 4) : "\x0f\xff\xff\xff";
    for (const std::size_t piece : {1U, 4U, 100U}) {
      WatchFramer framer(Encoding::kProtobuf, 1000);
      Sizes events;
      const Result<void> ended =
          FeedInPieces(framer, events, head + ProtobufEvent("ADDED", 20).substr(4), piece);
      ASSERT_FALSE(ended.ok());
      EXPECT_EQ(ended.error().reason(), last == '\0' ? Reason::kOverLimit : Reason::kUnexpectedEof);
    }
  }
}

template <class Splitter>
std::string ErrorOf(Encoding encoding, std::string_view body, std::size_t piece) {
  Splitter splitter(encoding, 60);
  struct Drop final : ListSplitter::Sink, WatchFramer::Sink {
    Result<void> OnItem(std::string_view, const JsonBitmap*) override { return {}; }
    Result<void> OnFrame(const WatchFrame&) override { return {}; }
  } drop;
  const Result<void> done = FeedInPieces(splitter, drop, body, piece);
  return done.ok() ? "none" : done.error().message();
}

// Malformed fields of a list are reported at the offset where each begins.
TEST(ListErrors, ProtobufErrors_AreTheSameHoweverBodyIsCut) {
  const std::string good(
      "\x12\x03"
      "abc",
      5);
  struct Case {
    std::string fields;
    std::string what;
  };
  const std::string malformed = "malformed field";
  // The envelope and the list take 13 bytes before the fields, the good field takes five.
  for (const Case& c : {
           Case{std::string("\x02\0", 2), malformed},                      // number 0
           Case{std::string("\x82\x80\x80\x80\x80\x01\0", 7), malformed},  // a tag of 36 bits
           Case{std::string("\x0b\x01", 2), malformed},                    // a group
           Case{std::string(12, '\xff'), malformed},                       // no tag at all
           Case{"\x12" + std::string(12, '\xff'), malformed},              // no length
           Case{"\x48" + std::string(12, '\xff'), malformed},              // no number
           Case{std::string("\x12\x09") + "ab", "a field reaches beyond the end of the list"},
           Case{std::string("\x12\x03") + "ab", "a field reaches beyond the end of the list"},
           Case{std::string("\x0a\x02\x12\x07", 4), "malformed ListMeta"},
       }) {
    const std::string body = SealEnvelope("v1", "L", good + c.fields);
    const std::string want = "list in protobuf, byte 20, after 1 items: " + c.what +
                             "; the answer is damaged, or not an API server's own (a proxy's?)";
    for (std::size_t piece = 1; piece <= body.size(); ++piece) {
      EXPECT_EQ(ErrorOf<ListSplitter>(Encoding::kProtobuf, body, piece), want) << piece;
    }
  }
  std::string envelope(kEnvelopeMagic);
  envelope += std::string("\x0a\x02\x12\x07", 4);
  for (std::size_t piece = 1; piece <= envelope.size(); ++piece) {
    EXPECT_THAT(ErrorOf<ListSplitter>(Encoding::kProtobuf, envelope, piece),
                HasSubstr("list in protobuf, byte 4, after 0 items: malformed TypeMeta"));
  }
}

TEST(ListErrors, JsonErrors_AreTheSameHoweverBodyIsCut) {
  for (const char* body :
       {R"( [1])", R"({"a" 1})", R"({"a":})", R"({"a":1,})", R"({"a":1;"b":2})", R"({1:2})",
        R"({"items":{}})", R"({"items":7})", R"({"items":[7]})", R"({"items":[{"a":1},]})",
        R"({"items":[{"a":1} {"b":2}]})", R"({"items":[{"a":1},{"b":2}}})", R"({"items":[]]})",
        R"({"items":[{"a":"}]"}] , "b":"c"} x)", R"({"items":[{"a":1}],"kind":"L",:})"}) {
    const std::string want = ErrorOf<ListSplitter>(Encoding::kJson, body, 1000);
    EXPECT_THAT(want, HasSubstr("list in JSON, byte ")) << body;
    for (std::size_t piece = 1; piece <= std::string_view(body).size(); ++piece) {
      EXPECT_EQ(ErrorOf<ListSplitter>(Encoding::kJson, body, piece), want) << body << piece;
    }
  }
  for (const char* none : {R"({"a":,})", R"({"a":})", R"({"a":]})", R"({"a"::1})"}) {
    EXPECT_THAT(ErrorOf<ListSplitter>(Encoding::kJson, none, 1000),
                HasSubstr(" where a value should be"))
        << none;
  }
  // The offset in errors includes the bytes of skipped items.
  const std::string skipped = R"({"items":[)" + JsonObject(100) + ",7]}";
  for (const std::size_t piece : {1U, 16U, 64U, 1000U}) {
    ListSplitter splitter(Encoding::kJson, 60);
    Sizes items;
    const Result<void> done = FeedInPieces(splitter, items, skipped, piece);
    ASSERT_FALSE(done.ok());
    EXPECT_THAT(done.error().message(), HasSubstr("byte 111, after 1 items: found '7' where"));
  }
}

TEST(WatchErrors, JsonErrors_AreTheSameHoweverBodyIsCut) {
  const std::string good = JsonEvent(10) + "\n";
  for (const char* bad :
       {"x", "[]", R"({"type":"ADDED","object":[]})", R"({"type":"ADDED","object":7})",
        R"({"object":{}})", R"({"type" "A"})", R"({"type":"A",})", R"({"type":"A";"b":{}})",
        R"({"type":"A","object":{"kind" 1}})", R"({7:8})", R"({"a":1 "b":2})"}) {
    const std::string body = good + bad;
    const std::string want = ErrorOf<WatchFramer>(Encoding::kJson, body, 1000);
    EXPECT_THAT(want, HasSubstr("watch in JSON, frame at byte " + std::to_string(good.size())));
    for (std::size_t piece = 1; piece <= body.size(); ++piece) {
      EXPECT_EQ(ErrorOf<WatchFramer>(Encoding::kJson, body, piece), want) << body << piece;
    }
  }
  for (const char* none :
       {R"({"type":,"b":{}})", R"({"type"::1})", R"({"type":]})", R"({"type":})"}) {
    EXPECT_THAT(ErrorOf<WatchFramer>(Encoding::kJson, none, 1000),
                HasSubstr("malformed event, 8 bytes into it"))
        << none;
  }
  const std::string first = ProtobufEvent("ADDED", 3);
  struct Case {
    std::string frame;
    std::string what;
  };
  for (const Case& c : {
           Case{std::string("\0\0\0\x02\x0a\x7f", 6), "malformed WatchEvent, 0 bytes into it"},
           Case{std::string("\0\0\0\x05\x0a\x01"
                            "A\x12\x7f",
                            9),
                "malformed WatchEvent, 3 bytes into it"},
           Case{std::string("\0\0\0\x04\x12\x02\x0a\x05", 8), "malformed RawExtension"},
           Case{std::string("\0\0\0\x02\x12\0", 6), "the event has no type"},
           Case{std::string("\0\0\0\x08\x0a\x01"
                            "A\x12\x03\x0a\x01x",
                            12),
                "protobuf object, byte 0: the magic \"k8s\\0\" is missing; is this another "
                "encoding?"},
       }) {
    const std::string body = first + c.frame;
    const std::string want = "watch in protobuf, frame at byte " + std::to_string(first.size()) +
                             ": " + c.what +
                             "; the answer is damaged, or not an API server's own (a proxy's?)";
    for (std::size_t piece = 1; piece <= body.size(); ++piece) {
      EXPECT_EQ(ErrorOf<WatchFramer>(Encoding::kProtobuf, body, piece), want) << piece;
    }
  }
  // An error behind a skipped frame.
  const std::string skipped = ProtobufEvent("ADDED", 100);
  for (const std::size_t piece : {1U, 16U, 1000U}) {
    WatchFramer framer(Encoding::kProtobuf, 60);
    Sizes events;
    const Result<void> done =
        FeedInPieces(framer, events, skipped + std::string("\0\0\0\x02\x0a\x7f", 6), piece);
    ASSERT_FALSE(done.ok());
    EXPECT_THAT(done.error().message(),
                HasSubstr("frame at byte " + std::to_string(skipped.size()) + ": malformed"));
  }
}

// Readers must not read outside of the text they are given, whatever it contains.
TEST(Guarded, NoReaderOfJsonLooksBeyondItsText) {
  const std::string whole =
      R"({"type":"ADDED","object":{"kind":"K","apiVersion":"v1","a":"\"x\\","b":[1,{"c":)"
      R"(-1.5e3}],"d":true},"items":[{"a":1},{"b":"}"}]})";
  testing::GuardedText guarded(8192);
  for (std::size_t before = 0; before < 130; ++before) {
    const std::string text = std::string(before, ' ') + whole;
    for (std::size_t size = 0; size <= text.size(); size += before % 8 == 0 ? 1 : 17) {
      for (const bool at_end : {true, false}) {
        const std::string_view part = std::string_view(text).substr(0, size);
        const std::string_view view = at_end ? guarded.AtEnd(part) : guarded.AtBegin(part);
        const char* const end = view.data() + view.size();
        JsonBitmap bitmap;
        bitmap.Read(view);
        JsonMembers members(view, bitmap);
        while (members.Next()) EXPECT_LE(members.value().size(), view.size());
        EXPECT_EQ(members.ok(), size == text.size()) << part;
        for (const char* at = view.data(); at != end; at += 5) {
          static_cast<void>(bitmap.NextBackslash(at, end));
          static_cast<void>(bitmap.PreviousQuote(at));
          JsonValueScanner scanner;
          static_cast<void>(scanner.Scan(bitmap, at));
          if (end - at < 5) break;
        }
        static_cast<void>(bitmap.HasBackslash(view));
        EXPECT_EQ(json::Parse(view).ok(), size == text.size()) << part;
        Sizes drop;
        ListSplitter splitter(Encoding::kJson);
        EXPECT_TRUE(splitter.Feed(view, drop).ok());
        WatchFramer framer(Encoding::kJson);
        EXPECT_TRUE(framer.Feed(view, drop).ok());
      }
    }
  }
}

}  // namespace
}  // namespace kinformer::wire
