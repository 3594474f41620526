#include "apiserver/faults/recording_format.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinformer::apiserver {
namespace {

using std::string_literals::operator""s;

Duration Nanos(std::int64_t nanos) { return Duration(nanos); }

constexpr std::int64_t kThirtyYears = 1'000'000'000'000'000'000;
constexpr std::size_t kHead = 17;  // bytes of a frame without payload

std::string Request(std::uint32_t number, std::int64_t at, std::string_view target = "/t") {
  std::string out;
  AppendRecordedRequest(number, Nanos(at), target, "a", out);
  return out;
}

std::string Head(std::uint32_t number, std::int64_t at, int status = 200) {
  std::string out;
  AppendRecordedHead(number, Nanos(at), status, {}, out);
  return out;
}

std::string Data(std::uint32_t number, std::int64_t at, std::string_view data = "d") {
  std::string out;
  AppendRecordedData(number, Nanos(at), data, out);
  return out;
}

std::string End(std::uint32_t number, std::int64_t at, std::string_view error = "") {
  std::string out;
  AppendRecordedEnd(number, Nanos(at), error, out);
  return out;
}

// Returns a frame of any type with number 1 at 0.
std::string Raw(char type, std::string_view payload) {
  std::string out(1, type);
  out += "\1" + std::string(11, '\0');
  out.push_back(static_cast<char>(payload.size()));
  out += "\0\0\0"s;
  return out.append(payload);
}

Recording Parse(const std::string& frames) {
  return ParseRecording(std::string(kRecordingHeader) + frames).OrExit();
}

TEST(RecordingFormat, Frames_HaveTheirBytes) {
  const std::string place = "\x04\x03\x02\x01"s + "\x08\x07\x06\x05\x04\x03\x02\x01"s;
  constexpr std::uint32_t kNumber = 0x01020304;
  constexpr std::int64_t kAt = 0x0102030405060708;
  EXPECT_EQ(Request(kNumber, kAt), "Q" + place + "\x1c\0\0\0"s + R"({"target":"/t","accept":"a"})");
  HttpHeaders headers;
  headers.Add("A", "b");
  headers.Add("C", "d");
  std::string head;
  AppendRecordedHead(kNumber, Nanos(kAt), 404, headers, head);
  EXPECT_EQ(head,
            "H" + place + "\x2e\0\0\0"s + R"({"status":404,"headers":[["A","b"],["C","d"]]})");
  EXPECT_EQ(Data(kNumber, kAt, "data"), "D" + place + "\4\0\0\0"s + "data");
  EXPECT_EQ(Data(kNumber, kAt, ""), "");
  EXPECT_EQ(End(kNumber, kAt), "E" + place + "\0\0\0\0"s);
  EXPECT_EQ(End(kNumber, kAt, "cut"), "E" + place + "\3\0\0\0"s + "cut");
  const std::string large = Data(kNumber, kAt, std::string(0x10203, 'x'));
  EXPECT_EQ(large.substr(13, 4), "\x03\x02\x01\0"s);
  EXPECT_EQ(large.size(), kHead + 0x10203);
}

TEST(RecordingFormat, Exchanges_AreReadWithTimesSinceTheirRequests) {
  HttpHeaders headers;
  headers.Add("Content-Type", "text/plain");
  headers.Add("X", "y");
  std::string frames = Request(300, 10, "/a") + Request(2, 12, "/b");
  AppendRecordedHead(300, Nanos(15), 201, headers, frames);
  frames += Data(300, 20, "one") + Head(2, 22, 404) + Data(300, 25, "two") + End(300, 31) +
            End(2, 32, "broken");
  const Recording recording = Parse(frames);
  EXPECT_EQ(recording.unread_bytes, 0U);
  ASSERT_EQ(recording.exchanges.size(), 2U);
  const RecordedExchange& first = recording.exchanges[0];
  EXPECT_EQ(first.target, "/a");
  EXPECT_EQ(first.accept, "a");
  EXPECT_EQ(first.began, Nanos(10));
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(first.head_at, Nanos(5));
  ASSERT_EQ(first.headers.size(), 2U);
  EXPECT_EQ(first.headers.Get("Content-Type"), "text/plain");
  EXPECT_EQ(first.headers.Get("X"), "y");
  ASSERT_EQ(first.chunks.size(), 2U);
  EXPECT_EQ(first.chunks[0].bytes, "one");
  EXPECT_EQ(first.chunks[0].at, Nanos(10));
  EXPECT_EQ(first.chunks[1].bytes, "two");
  EXPECT_EQ(first.chunks[1].at, Nanos(15));
  EXPECT_EQ(first.ended, Nanos(21));
  EXPECT_TRUE(first.complete);
  const RecordedExchange& second = recording.exchanges[1];
  EXPECT_EQ(second.target, "/b");
  EXPECT_EQ(second.began, Nanos(12));
  EXPECT_EQ(second.status, 404);
  EXPECT_EQ(second.head_at, Nanos(10));
  EXPECT_TRUE(second.chunks.empty());
  EXPECT_EQ(second.ended, Nanos(20));
  EXPECT_FALSE(second.complete);
}

TEST(RecordingFormat, Exchange_WithoutAnswerOrEnd_IsKept) {
  const Recording recording = Parse(Request(1, 0) + Request(2, 0) + Head(2, 0) + End(1, 0, "e"));
  EXPECT_EQ(recording.unread_bytes, 0U);
  ASSERT_EQ(recording.exchanges.size(), 2U);
  EXPECT_EQ(recording.exchanges[0].status, 0);
  EXPECT_EQ(recording.exchanges[0].ended, Nanos(0));
  EXPECT_EQ(recording.exchanges[1].ended, std::nullopt);
  EXPECT_FALSE(recording.exchanges[1].complete);
  EXPECT_TRUE(Parse("").exchanges.empty());
}

TEST(RecordingFormat, FaultyFrame_EndsTheRecording) {
  struct Row {
    const char* why;
    std::string before;
    std::string faulty;
    bool cut = false;  // in the middle of a frame
  };
  std::string negative = Head(1, 0);
  negative[12] = '\x80';
  std::string negative_request = Request(2, 0);
  negative_request[12] = '\x80';
  for (const Row& row : {
           Row{"unknown exchange", Request(1, 5), Head(2, 5)},
           Row{"number used twice", Request(1, 5), Request(1, 6)},
           Row{"before its request", Request(1, 5), Head(1, 4)},
           Row{"too late", Request(1, 5), Head(1, kThirtyYears + 1)},
           Row{"request too late", Request(1, 5), Request(2, kThirtyYears + 1)},
           Row{"negative time", Request(1, 0), negative},
           Row{"negative time of a request", Request(1, 0), negative_request},
           Row{"status 99", Request(1, 5), Head(1, 5, 99)},
           Row{"status 600", Request(1, 5), Head(1, 5, 600)},
           Row{"no status", Request(1, 0), Raw('H', "{}")},
           Row{"no JSON", Request(1, 0), Raw('H', "x")},
           Row{"second head", Request(1, 5) + Head(1, 5), Head(1, 6)},
           Row{"data before the head", Request(1, 5), Data(1, 5)},
           Row{"data after the end", Request(1, 5) + Head(1, 5) + End(1, 5), Data(1, 5)},
           Row{"second end", Request(1, 5) + Head(1, 5) + End(1, 5), End(1, 5)},
           Row{"unknown type", Request(1, 0), Raw('X', "x")},
           Row{"nothing but a type", Request(1, 5), "H", true},
           Row{"incomplete head", Request(1, 5), Head(1, 5).substr(0, kHead - 1), true},
           Row{"no payload", Request(1, 5), Head(1, 5).substr(0, kHead), true},
           Row{"one byte short", Request(1, 5), Request(2, 5).substr(0, Request(2, 5).size() - 1),
               true},
       }) {
    // Nothing after it is read either.
    for (const std::string& after : {std::string(), Request(9, 7)}) {
      if (row.cut && !after.empty()) continue;
      const Recording recording = Parse(row.before + row.faulty + after);
      EXPECT_EQ(recording.unread_bytes, row.faulty.size() + after.size()) << row.why;
      ASSERT_EQ(recording.exchanges.size(), 1U) << row.why;
      EXPECT_EQ(recording.exchanges[0].target, "/t") << row.why;
    }
  }
}

TEST(RecordingFormat, FaultyFirstFrame_LeavesAllUnread) {
  for (const std::string& frames : {std::string("junk"), Head(1, 0), Head(1, 0) + Request(1, 0)}) {
    const Recording recording = Parse(frames);
    EXPECT_TRUE(recording.exchanges.empty());
    EXPECT_EQ(recording.unread_bytes, frames.size());
  }
}

TEST(RecordingFormat, LimitsAreIncluded) {
  for (const std::string& last :
       {Head(1, 5, 100), Head(1, 5, 599), Head(1, 5), Head(1, kThirtyYears)}) {
    const Recording recording = Parse(Request(1, 5) + last);
    EXPECT_EQ(recording.unread_bytes, 0U);
    EXPECT_NE(recording.exchanges.at(0).status, 0);
  }
  EXPECT_EQ(Parse(Request(1, kThirtyYears)).exchanges.size(), 1U);
  // An end needs no payload.
  EXPECT_EQ(Parse(Request(1, 0) + End(1, 0)).unread_bytes, 0U);
}

TEST(RecordingFormat, OtherFiles_AreRefused) {
  for (const auto& [bytes, why] : std::vector<std::pair<std::string, std::string>>{
           {"", "no recording: it does not begin with \"kinformer-recording 1\""},
           {"GIF89a", "no recording: it does not begin with \"kinformer-recording 1\""},
           {"kinformer-recording",
            "no recording: it does not begin with \"kinformer-recording 1\""},
           {"kinformer-recording 2\nQ",
            "a recording of version 2, but this program reads version 1"},
           {"kinformer-recording 1.5\n",
            "a recording of version 1.5, but this program reads version 1"},
       }) {
    const auto parsed = ParseRecording(bytes);
    ASSERT_FALSE(parsed.ok()) << bytes;
    EXPECT_EQ(parsed.error().reason(), Reason::kConfig);
    EXPECT_EQ(parsed.error().message(), why);
  }
}

}  // namespace
}  // namespace kinformer::apiserver
