// WatchFramer: input cut at every position, malformed input, oversize input.

#include "wire/watch_framer.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "wire/envelope.h"
#include "wire/protobuf_writer.h"
#include "wire/testing/feed.h"

namespace kinformer::wire {
namespace {

using internal::Encoding;

class Frames : public WatchFramer::Sink {
 public:
  Result<void> OnFrame(const WatchFrame& f) override {
    frames.push_back(std::string(f.type) + "|" + std::string(f.apiVersion) + "|" +
                     std::string(f.kind) + "|" + std::string(f.object));
    return {};
  }
  std::vector<std::string> frames;
};

TEST(WatchFramer, JsonAtEveryPieceSize_SD05) {
  const std::string body = R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","a":"{\\"}})"
                           "\n"
                           R"({"object":{"apiVersion":"v1"},"type":"DELETED"}{"type":"BOOKMARK"} )"
                           "\r\n";
  const std::vector<std::string> want = {
      R"(ADDED|v1|Pod|{"kind":"Pod","apiVersion":"v1","a":"{\\"})",
      R"(DELETED|v1||{"apiVersion":"v1"})", "BOOKMARK|||"};
  for (std::size_t size = 1; size <= body.size(); ++size) {
    WatchFramer framer(Encoding::kJson);
    Frames frames;
    const Result<void> r = FeedInPieces(framer, frames, body, size);
    ASSERT_TRUE(r.ok()) << r.error().message();
    EXPECT_EQ(frames.frames, want) << size;
  }
}

// A frame as a real server sends it: one ADDED ConfigMap.
std::string ConfigMapFrame() {
  std::string object = SealEnvelope("v1", "ConfigMap", "payload");
  std::string event;
  ProtobufWriter writer(event);
  writer.BytesField(1, "ADDED");
  writer.Nested(2, [&](ProtobufWriter& raw) { raw.BytesField(1, object); });
  const auto n = static_cast<unsigned char>(event.size());
  return std::string{'\0', '\0', '\0', static_cast<char>(n)} + event;
}

// The beginning of one event only predicts the beginning of the next.
TEST(WatchFramer, EventsThatBeginAlike) {
  const std::vector<std::vector<std::string>> events = {
      {R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","a":1}})", "ADDED", "Pod", "v1"},
      {R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1"}})", "ADDED", "Pod", "v1"},
      {R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1beta1"} })", "ADDED", "Pod",
       "v1beta1"},
      {R"({"type":"ADDED","object":{"kind":"Pods","apiVersion":"v1"},"x":{"object":1}})", "ADDED",
       "Pods", "v1"},
      {R"({"type":"ADDED","object":{"apiVersion":"v1","spec":{},"kind":"Node"},"type":"MODIFIED"})",
       "MODIFIED", "Node", "v1"},
      {R"({"type":"ADDED","object":{"apiVersion":"v1","kind":"Node"}})", "ADDED", "Node", "v1"},
      {R"({"type":"ADDED","object":{"apiVersion":"v1","kind":"Nodes","metadata":{}}})", "ADDED",
       "Nodes", "v1"},
      {R"({"object":{"kind":"Pod","apiVersion":"v1"},"type":"DELETED"})", "DELETED", "Pod", "v1"}};
  struct Sink final : WatchFramer::Sink {
    Result<void> OnFrame(const WatchFrame& frame) override {
      seen.push_back(
          {std::string(frame.type), std::string(frame.kind), std::string(frame.apiVersion)});
      return {};
    }
    std::vector<std::vector<std::string>> seen;
  };
  std::minstd_rand random(3);
  for (int round = 0; round < 300; ++round) {
    std::string body;
    std::vector<std::vector<std::string>> expected;
    for (int i = 0; i < 20; ++i) {
      const auto& event = events[random() % events.size()];
      body += event[0] + (random() % 2 == 0 ? "\n" : "");
      expected.emplace_back(event.begin() + 1, event.end());
    }
    Sink sink;
    WatchFramer framer(internal::Encoding::kJson);
    const std::size_t piece = 1 + random() % 400;
    for (std::size_t at = 0; at < body.size(); at += piece) {
      ASSERT_TRUE(framer.Feed(std::string_view(body).substr(at, piece), sink).ok()) << body;
    }
    ASSERT_TRUE(framer.Finish().ok());
    ASSERT_EQ(sink.seen, expected) << body;
    // The same beginning, followed by something that is not an object.
    for (const std::string bad :
         {R"({"type":"ADDED","object":})", R"({"type":"ADDED","object":}})",
          R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1"},})",
          R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1"}])"}) {
      WatchFramer again(internal::Encoding::kJson);
      ASSERT_TRUE(again.Feed(events[round % 2 == 0 ? 0 : 1][0], sink).ok());
      const Result<void> fed = again.Feed(bad, sink);
      EXPECT_FALSE(fed.ok() && again.Finish().ok()) << bad;
    }
  }
}

TEST(WatchFramer, ProtobufAtEveryPieceSize_SD05) {
  std::string bookmark;
  ProtobufWriter(bookmark).BytesField(1, "BOOKMARK");
  const std::string body =
      ConfigMapFrame() + std::string{'\0', '\0', '\0', 10} + bookmark + ConfigMapFrame();
  const std::vector<std::string> want = {"ADDED|v1|ConfigMap|payload", "BOOKMARK|||",
                                         "ADDED|v1|ConfigMap|payload"};
  for (std::size_t size = 1; size <= body.size(); ++size) {
    WatchFramer framer(Encoding::kProtobuf);
    Frames frames;
    const Result<void> r = FeedInPieces(framer, frames, body, size);
    ASSERT_TRUE(r.ok()) << r.error().message();
    EXPECT_EQ(frames.frames, want) << size;
  }
}

TEST(WatchFramer, TheBytesOfARealServer) {
  static constexpr unsigned char kBytes[] = {
      0x00, 0x00, 0x00, 0x4c, 0x0a, 0x05, 0x41, 0x44, 0x44, 0x45, 0x44, 0x12, 0x43, 0x0a,
      0x41, 0x6b, 0x38, 0x73, 0x00, 0x0a, 0x0f, 0x0a, 0x02, 0x76, 0x31, 0x12, 0x09, 0x43,
      0x6f, 0x6e, 0x66, 0x69, 0x67, 0x4d, 0x61, 0x70, 0x12, 0x26, 0x0a, 0x1c, 0x0a, 0x01,
      0x61, 0x12, 0x00, 0x1a, 0x01, 0x64, 0x22, 0x00, 0x2a, 0x01, 0x75, 0x32, 0x01, 0x37,
      0x38, 0x00, 0x42, 0x08, 0x08, 0x80, 0xe2, 0xcf, 0xaa, 0x06, 0x10, 0x00, 0x12, 0x06,
      0x0a, 0x01, 0x6b, 0x12, 0x01, 0x76, 0x1a, 0x00, 0x22, 0x00};
  std::string body;
  for (const unsigned char b : kBytes) body.push_back(static_cast<char>(b));
  WatchFramer framer(Encoding::kProtobuf);
  Frames frames;
  ASSERT_TRUE(FeedInPieces(framer, frames, body, 9).ok());
  ASSERT_EQ(frames.frames.size(), 1U);
  EXPECT_EQ(frames.frames[0].substr(0, 19), "ADDED|v1|ConfigMap|");
  EXPECT_EQ(frames.frames[0].size(), 19U + 38U);
}

TEST(WatchFramer, CutOffAndMalformed_SD05) {
  const std::string frame = ConfigMapFrame();
  for (std::size_t size = 1; size < frame.size(); ++size) {
    WatchFramer framer(Encoding::kProtobuf);
    Frames frames;
    const Result<void> r = FeedInPieces(framer, frames, frame.substr(0, size), 4);
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.error().reason(), Reason::kUnexpectedEof);
  }
  const auto error = [](Encoding encoding, std::string_view body, std::size_t limit) {
    WatchFramer framer(encoding, limit);
    Frames frames;
    const Result<void> r = FeedInPieces(framer, frames, body, 4);
    return r.ok() ? std::string("ok") : r.error().message();
  };
  EXPECT_NE(error(Encoding::kProtobuf, frame + frame, 10).find("the limit is 10"),
            std::string::npos);
  EXPECT_NE(error(Encoding::kProtobuf, "{\"ty", 1000).find("bytes or more"), std::string::npos);
  EXPECT_NE(error(Encoding::kProtobuf, std::string("\0\0\0\x02\x0a\x7f", 6), 1000)
                .find("malformed WatchEvent"),
            std::string::npos);
  EXPECT_NE(
      error(Encoding::kJson, "{\"type\":\"ADDED\",\"object\":{}}", 10).find("the limit is 10"),
      std::string::npos);
  EXPECT_NE(error(Encoding::kJson, "\n\nx", 10).find("frame at byte 2: found 'x'"),
            std::string::npos);
  EXPECT_NE(error(Encoding::kJson, "{\"object\":{}}", 100).find("has no type"), std::string::npos);
  EXPECT_NE(error(Encoding::kJson, "{\"type\":\"A\",\"object\":[]}", 100).find("not a JSON object"),
            std::string::npos);
  EXPECT_NE(error(Encoding::kJson, "{\"type\"}", 100).find("malformed event"), std::string::npos);
  // Brackets determine the end of an event, even if a member has no value.
  for (const std::string_view body : {R"({"a":},"type":"ERROR"}{"type":"A"})", R"({"a":]})"}) {
    WatchFramer framer(Encoding::kJson);
    Frames frames;
    const Result<void> whole = framer.Feed(body, frames);
    ASSERT_FALSE(whole.ok());
    EXPECT_TRUE(frames.frames.empty());
    EXPECT_EQ(whole.error().message(), error(Encoding::kJson, body, 1000));
  }
  EXPECT_NE(error(Encoding::kJson, "{\"type\":\"A\"", 100).find("ends inside the frame"),
            std::string::npos);
}

// Skips frames that are too large, and records how they begin.
class PatientFrames final : public Frames {
 public:
  Result<void> OnTooLarge(const WatchFrame& front, Error error) override {
    EXPECT_EQ(error.reason(), Reason::kOverLimit);
    EXPECT_NE(error.message().find("the limit is 100"), std::string::npos) << error.message();
    frames.push_back("too large: " + std::string(front.type) + "|" + std::string(front.apiVersion) +
                     "|" + std::string(front.kind) + "|" + std::string(front.object.substr(0, 12)));
    return {};
  }
};

std::string ProtobufFrame(std::string_view type, std::string_view message) {
  const std::string object = SealEnvelope("v1", "Pod", message);
  std::string event;
  ProtobufWriter writer(event);
  writer.BytesField(1, type);
  writer.Nested(2, [&](ProtobufWriter& raw) { raw.BytesField(1, object); });
  std::string head(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) head[3 - i] = static_cast<char>(event.size() >> (8 * i));
  return head + event;
}

TEST(WatchFramer, FramesThatAreTooLargeAreSkippedWhereTheSinkDoesWithoutThem) {
  const std::string small = R"({"kind":"Pod","apiVersion":"v1","n":1})";
  const auto json = [](std::string_view type, std::string_view object) {
    return R"({"type":")" + std::string(type) + R"(","object":)" + std::string(object) + "}\n";
  };
  for (const std::size_t length : {200U, 5000U, 100000U}) {
    const std::string large = R"({"kind":"Pod","apiVersion":"v1","a":"}\"{[","b":[{},{}],"c":")" +
                              std::string(length, 'x') + "\"}";
    const std::string body = json("ADDED", small) + json("MODIFIED", large) +
                             json("DELETED", small) + json("ADDED", large) +
                             json("DELETED", large) + json("BOOKMARK", small);
    const std::vector<std::string> want = {"ADDED|v1|Pod|" + small,
                                           R"(too large: MODIFIED|v1|Pod|{"kind":"Pod)",
                                           "DELETED|v1|Pod|" + small,
                                           R"(too large: ADDED|v1|Pod|{"kind":"Pod)",
                                           R"(too large: DELETED|v1|Pod|{"kind":"Pod)",
                                           "BOOKMARK|v1|Pod|" + small};
    for (const std::size_t size : {1U, 3U, 16U, 150U, 1000U, 40000U, 1000000U}) {
      SCOPED_TRACE(size);
      WatchFramer framer(Encoding::kJson, 100, 50);
      PatientFrames frames;
      const Result<void> r = FeedInPieces(framer, frames, body, size);
      ASSERT_TRUE(r.ok()) << r.error().message();
      EXPECT_EQ(frames.frames, want);
    }
    const std::string message(length, 'x');
    const std::string bytes = ProtobufFrame("ADDED", "s") + ProtobufFrame("MODIFIED", message) +
                              ProtobufFrame("DELETED", "s") + ProtobufFrame("DELETED", message) +
                              ProtobufFrame("ADDED", message) + ProtobufFrame("BOOKMARK", "s");
    const std::vector<std::string> same = {"ADDED|v1|Pod|s",
                                           "too large: MODIFIED|v1|Pod|xxxxxxxxxxxx",
                                           "DELETED|v1|Pod|s",
                                           "too large: DELETED|v1|Pod|xxxxxxxxxxxx",
                                           "too large: ADDED|v1|Pod|xxxxxxxxxxxx",
                                           "BOOKMARK|v1|Pod|s"};
    for (const std::size_t size : {1U, 3U, 16U, 150U, 1000U, 40000U, 1000000U}) {
      SCOPED_TRACE(size);
      WatchFramer framer(Encoding::kProtobuf, 100, 50);
      PatientFrames frames;
      const Result<void> r = FeedInPieces(framer, frames, bytes, size);
      ASSERT_TRUE(r.ok()) << r.error().message();
      EXPECT_EQ(frames.frames, same);
    }
  }
}

TEST(WatchFramer, AStreamThatEndsInAFrameThatIsTooLargeIsCutOff) {
  const std::string json = R"({"type":"ADDED","object":{"a":")" + std::string(400, 'x') + "\"}}";
  const std::string protobuf = ProtobufFrame("ADDED", std::string(400, 'x'));
  for (const Encoding encoding : {Encoding::kJson, Encoding::kProtobuf}) {
    const std::string& frame = encoding == Encoding::kJson ? json : protobuf;
    for (const std::size_t cut : {1U, 5U, 100U, 300U}) {
      WatchFramer framer(encoding, 100);
      PatientFrames frames;
      const Result<void> r =
          FeedInPieces(framer, frames, std::string_view(frame).substr(0, frame.size() - cut), 7);
      ASSERT_FALSE(r.ok());
      EXPECT_EQ(r.error().reason(), Reason::kUnexpectedEof);
      EXPECT_NE(r.error().message().find("inside the frame at byte 0, after " +
                                         std::to_string(frame.size() - cut) + " bytes"),
                std::string::npos)
          << r.error().message();
    }
  }
}

// Members behind the object are not taken for a part of it.
TEST(WatchFramer, TheFrontOfAFrameThatIsTooLargeHasTheObject) {
  const std::string body = R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","a":")" +
                           std::string(200, 'x') + R"("},"more":{"b":1}})";
  for (const std::size_t size : {1U, 16U, 1000U}) {
    WatchFramer framer(Encoding::kJson, 100, 50);
    PatientFrames frames;
    ASSERT_TRUE(FeedInPieces(framer, frames, body, size).ok());
    EXPECT_EQ(frames.frames, std::vector<std::string>{R"(too large: ADDED|v1|Pod|{"kind":"Pod)"});
  }
}

// Without the type, the effect on the object would be unknown.
TEST(WatchFramer, AFrameThatIsTooLargeAndDoesNotSayItsTypeIsAnError) {
  const auto error = [](Encoding encoding, const std::string& body) {
    WatchFramer framer(encoding, 100);
    PatientFrames frames;
    const Result<void> r = FeedInPieces(framer, frames, body, 16);
    return r.ok() ? Reason::kUnknown : r.error().reason();
  };
  const std::string text(400, 'x');
  EXPECT_EQ(error(Encoding::kJson, R"({"object":{"a":")" + text + R"("},"type":"ADDED"})"),
            Reason::kOverLimit);
  EXPECT_EQ(error(Encoding::kJson, R"({")" + text + R"(":1})"), Reason::kOverLimit);
  EXPECT_EQ(error(Encoding::kProtobuf, std::string("\0\0\1\x90", 4) + text), Reason::kOverLimit);
  EXPECT_EQ(error(Encoding::kProtobuf, "HTTP/1.1 200"), Reason::kOverLimit) << "a length, no text";
}

}  // namespace
}  // namespace kinformer::wire
