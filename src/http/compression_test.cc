// Compression of answers: for whom, from which length, and what a client can decode at each time.

#include <gtest/gtest.h>
#include <string>
#include <zlib.h>

#include "http/connection_scene_for_test.h"

namespace kinformer::internal::http {
namespace {

using State = ResponseStream::State;

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n";
constexpr const char* kPlain = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr const char* kGzipHead =
    "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Encoding: gzip\r\nVary: Accept-Encoding\r\n"
    "Transfer-Encoding: chunked\r\n\r\n";

// Removes the chunks' heads.
std::string Dechunked(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    const std::size_t line = text.find("\r\n");
    const std::size_t size = std::stoul(std::string(text.substr(0, line)), nullptr, 16);
    all += text.substr(line + 2, size);
    text.remove_prefix(line + 4 + size);
  }
  return all;
}

struct Decoded {
  std::string text{};
  int members = 0;     // that ended
  bool begun = false;  // the header of another one has come
};

Decoded Decode(std::string packed) {
  Decoded decoded;
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::array<char, 65536> buffer{};
  while (true) {
    decoded.begun = stream.avail_in > 0;
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    const int result = inflate(&stream, Z_SYNC_FLUSH);
    decoded.text.append(buffer.data(), buffer.size() - stream.avail_out);
    if (result == Z_STREAM_END) {
      ++decoded.members;
      decoded.begun = false;
      if (stream.avail_in == 0) break;
      inflateReset(&stream);
    } else if (result != Z_OK || stream.avail_out > 0) {
      EXPECT_TRUE(result == Z_OK || result == Z_BUF_ERROR) << result;
      break;
    }
  }
  inflateEnd(&stream);
  return decoded;
}

std::string Lines(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += "line " + std::to_string(i) + "\n";
  text.resize(size);
  return text;
}

TEST(CompressionTest, OnlyClientsThatAcceptGzip_GetIt) {
  for (const auto& [accept, gzip] :
       std::vector<std::pair<std::string, bool>>{{"gzip", true},
                                                 {"br,gzip", true},
                                                 {"br,  gzip, x", true},
                                                 {"gzip,br", true},
                                                 {"gzip;q=1", true},
                                                 {"gzip;q=0", false},
                                                 {"gzip;q=0,gzip", true},
                                                 {"gzipped", false},
                                                 {"deflate, br", false},
                                                 {", ,", false},
                                                 {"", false}}) {
    ConnectionScene scene;
    scene.policy().compression = Compression::kMembers;
    const auto client = scene.Connect();
    scene.handler().Add({{"abc", State::kEnd}});
    const std::string answer =
        client->Exchange("GET / HTTP/1.1\r\nHost: h\r\nAccept-Encoding: " + accept + "\r\n\r\n");
    EXPECT_EQ(answer.find("Content-Encoding: gzip\r\n") != std::string::npos, gzip) << accept;
  }
}

TEST(CompressionTest, LongAnswers_AreCompressed_ShortOnesAreNot) {
  struct Row {
    std::size_t threshold;
    std::size_t size;
    std::size_t parts;  // the answer comes in so many
    bool gzip;
  };
  for (const Row& row : std::vector<Row>{{100, 99, 1, false},
                                         {100, 100, 1, false},
                                         {100, 101, 1, true},
                                         {100, 100, 10, false},
                                         {100, 110, 10, true},
                                         {100000, 100000, 10, false},
                                         {100000, 100000, 1, false},
                                         {100000, 100001, 1, true},
                                         {100000, 100010, 10, true},
                                         {100, 500000, 50, true}}) {
    SCOPED_TRACE(std::to_string(row.size) + " in " + std::to_string(row.parts));
    ConnectionScene scene;
    scene.policy().compression = Compression::kIfLong;
    scene.options().gzip_above_bytes = row.threshold;
    const std::string text = Lines(row.size);
    const auto client = scene.Connect();
    const auto script = scene.handler().Add({});
    const std::size_t step = row.size / row.parts;
    for (std::size_t at = 0; at < row.size; at += step) {
      script->parts.push_back({text.substr(at, step), State::kMore});
    }
    script->parts.back().state = State::kEnd;
    const std::string answer = client->Exchange(kGet);
    if (!row.gzip) {
      EXPECT_TRUE(answer == "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: " +
                                std::to_string(row.size) + "\r\n\r\n" + text);
      continue;
    }
    ASSERT_TRUE(answer.starts_with(kGzipHead));
    const Decoded decoded = Decode(Dechunked(answer.substr(std::string(kGzipHead).size())));
    EXPECT_TRUE(decoded.text == text);
    EXPECT_EQ(decoded.members, 1);
    EXPECT_LT(answer.size(), text.size() / 2 + 300);
  }
}

TEST(CompressionTest, EncodedAnswersErrorsAndOtherClients_StayAsTheyAre) {
  const std::string text = Lines(1000);
  const std::string end = "Content-Length: 1000\r\n\r\n" + text;
  for (const Compression compression : {Compression::kIfLong, Compression::kMembers}) {
    ConnectionScene scene;
    scene.policy().compression = compression;
    scene.options().gzip_above_bytes = 10;
    const auto client = scene.Connect();
    scene.handler().Add({{text, State::kEnd}})->headers.Add("Content-Encoding", "br");
    EXPECT_EQ(client->Exchange(kGet),
              "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nDate: now\r\n" + end);
    scene.handler().Add({{text, State::kEnd}});
    EXPECT_EQ(client->Exchange(kPlain), "HTTP/1.1 200 OK\r\nDate: now\r\n" + end);
    scene.handler().Add({{text, State::kEnd}}, 404);
    const std::string error = client->Exchange(kGet);
    EXPECT_EQ(error == "HTTP/1.1 404 Not Found\r\nDate: now\r\n" + end,
              compression == Compression::kMembers)
        << "errors in place of a watch are short";
  }
}

// While the answer waits, the client can decode all that was sent.
TEST(CompressionTest, LongAnswerThatWaits_IsFlushed) {
  ConnectionScene scene;
  scene.policy().compression = Compression::kIfLong;
  scene.options().gzip_above_bytes = 100;
  const std::string text = Lines(1000);
  const auto client = scene.Connect();
  const auto script = scene.handler().Add({{text, State::kWait}});
  std::string answer = client->Exchange(kGet);
  ASSERT_TRUE(answer.starts_with(kGzipHead));
  answer.erase(0, std::string(kGzipHead).size());
  EXPECT_EQ(Decode(Dechunked(answer)).text, text);
  EXPECT_EQ(Decode(Dechunked(answer)).members, 0);
  script->parts = {{"more", State::kMore}, {"", State::kWait}};
  scene.Wake(script);
  answer += client->Receive();
  EXPECT_EQ(Decode(Dechunked(answer)).text, text + "more");
  script->parts = {{"", State::kEnd}};
  scene.Wake(script);
  answer += client->Receive();
  EXPECT_EQ(Decode(Dechunked(answer)).text, text + "more");
  EXPECT_EQ(Decode(Dechunked(answer)).members, 1);
}

// Go's reader gives the data of a member only once the header of the next has come.
TEST(CompressionTest, Members_EndWithEachFlush_NextHeaderComesAtOnce) {
  ConnectionScene scene;
  scene.policy().compression = Compression::kMembers;
  const auto client = scene.Connect();
  const auto script = scene.handler().Add({{"one", State::kWait}});
  std::string packed;
  std::string text;
  int members = 0;
  const auto expect = [&](const std::string& answer, const std::string& part, int more,
                          bool begun) {
    packed += Dechunked(answer);
    text += part;
    members += more;
    const Decoded decoded = Decode(packed);
    EXPECT_EQ(decoded.text, text);
    EXPECT_EQ(decoded.members, members);
    EXPECT_EQ(decoded.begun, begun);
  };
  const std::string first = client->Exchange(kGet);
  ASSERT_TRUE(first.starts_with(kGzipHead));
  expect(first.substr(std::string(kGzipHead).size()), "one", 1, true);
  script->parts = {{"two", State::kWait}};
  scene.Wake(script);
  expect(client->Receive(), "two", 1, true);
  script->parts = {{"", State::kWait}};
  scene.Wake(script);
  EXPECT_EQ(client->Receive(), "") << "no data, no member";
  script->parts = {{"three", State::kMore}, {"four", State::kEnd}};
  scene.Wake(script);
  expect(client->Receive(), "threefour", 2, false);
}

TEST(CompressionTest, MembersThatEndWithoutData_AreComplete) {
  for (const bool begun : {true, false}) {
    ConnectionScene scene;
    scene.policy().compression = Compression::kMembers;
    const auto client = scene.Connect();
    const auto script = scene.handler().Add({{begun ? "one" : "", State::kWait}});
    std::string answer = client->Exchange(kGet);
    script->parts = {{"", State::kEnd}};
    scene.Wake(script);
    answer += client->Receive();
    ASSERT_TRUE(answer.starts_with(kGzipHead));
    const Decoded decoded = Decode(Dechunked(answer.substr(std::string(kGzipHead).size())));
    EXPECT_EQ(decoded.text, begun ? "one" : "");
    EXPECT_EQ(decoded.members, begun ? 2 : 1);
    EXPECT_FALSE(decoded.begun);
  }
}

}  // namespace
}  // namespace kinformer::internal::http
