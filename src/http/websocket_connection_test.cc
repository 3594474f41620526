// WebSockets over HTTP/1.1 as bytes: the upgrade, frames in both directions, and how they end.

#include <gtest/gtest.h>
#include <string>

#include "http/connection_scene_for_test.h"

namespace kinformer::internal::http {
namespace {

using State = ResponseStream::State;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using namespace std::string_literals;

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr const char* kUpgrade =
    "GET /w HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Origin: http://h\r\n\r\n";
constexpr const char* kAccepted =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
constexpr const char* kNormalClosure = "\x88\x02\x03\xe8";
constexpr const char* kProtocolError = "\x88\x02\x03\xea";
const std::string kPing =
    "\x89\x82"
    "\0\0\0\0"
    "hi"s;
const std::string kPong =
    "\x8a\x02"
    "hi";
const std::string kClose =
    "\x88\x80"
    "\0\0\0\0"s;

class WebSocketScene : public ConnectionScene {
 public:
  explicit WebSocketScene(Duration tick = {}) : ConnectionScene(tick) { policy().messages = true; }
};

TEST(WebSocketConnectionTest, Messages_ArriveAsFrames_EndWith1000) {
  WebSocketScene scene;
  const auto client = scene.Connect();
  const auto script = scene.handler().Add({{"a\nb", State::kWait}});
  EXPECT_EQ(client->Exchange(kUpgrade), kAccepted +
                                            "\x81\x02"
                                            "a\n"s);
  script->parts = {{"c\n", State::kWait}};
  scene.Wake(script);
  EXPECT_EQ(client->Receive(),
            "\x81\x03"
            "bc\n");
  script->parts = {{"d\n", State::kMore}, {"rest", State::kEnd}};
  scene.Wake(script);
  EXPECT_EQ(client->Receive(),
            "\x81\x02"
            "d\n"
            "\x81\x04"
            "rest"s +
                kNormalClosure);
  EXPECT_TRUE(client->ended());
  EXPECT_EQ(script->alive, 0);
  EXPECT_EQ(scene.host().replaced, 1);
  EXPECT_TRUE(scene.ClosesAfter(seconds(2)));
}

TEST(WebSocketConnectionTest, BinaryMessages_FollowTheContentType) {
  WebSocketScene scene;
  const auto client = scene.Connect();
  const auto script = scene.handler().Add({{"\0\0\0\1\n\0\0\0\2zz"s, State::kEnd}});
  script->headers.Add("Content-Type", "binary");
  EXPECT_EQ(client->Exchange(kUpgrade), kAccepted + "\x82\x01\n\x82\x02zz"s + kNormalClosure);
  EXPECT_TRUE(client->ended());
}

// Data that follows the request at once belongs to the WebSocket.
TEST(WebSocketConnectionTest, ClientsFrames_AreHeeded) {
  struct Row {
    std::string input;
    std::string output;
    bool ended;
  };
  for (const Row& row : std::vector<Row>{
           {kPing, kPong, false},
           {kPing + kPing, kPong + kPong, false},
           {"\x81\x82"
            "\0\0\0\0"
            "hi"s,
            "", false},
           {kClose, kNormalClosure, true},
           {kPing + kClose + kPing, kPong + kNormalClosure, true},
           {"\x81\x02"
            "hi",
            std::string(kProtocolError) + kNormalClosure, true},
           {"\x82\xff\x00\x00\x00\x00\x02\x00\x00\x01"s + "abcd", kNormalClosure, true}}) {
    for (const bool at_once : {false, true}) {
      SCOPED_TRACE(row.input + (at_once ? " at once" : ""));
      WebSocketScene scene;
      const auto client = scene.Connect();
      const auto script = scene.handler().Add({{"", State::kWait}});
      if (at_once) {
        EXPECT_EQ(client->Exchange(kUpgrade + row.input), kAccepted + row.output);
      } else {
        EXPECT_EQ(client->Exchange(kUpgrade), kAccepted);
        EXPECT_EQ(client->Exchange(row.input), row.output);
      }
      EXPECT_EQ(client->ended(), row.ended);
      EXPECT_EQ(script->alive, row.ended ? 0 : 1);
      EXPECT_EQ(scene.open(), 1U);
    }
  }
}

TEST(WebSocketConnectionTest, OpenWebSocket_HasNoDeadline_NorDoesGoAwayEndIt) {
  WebSocketScene scene;
  const auto client = scene.Connect();
  const auto script = scene.handler().Add({{"", State::kWait}});
  client->Exchange(kUpgrade);
  scene.OnLoop([&] { scene.connection().GoAway(); });
  scene.RunFor(hours(1000));
  EXPECT_FALSE(client->ended());
  EXPECT_EQ(client->Exchange(kPing), kPong);
  client->Close();
  Settle(scene.sim());
  EXPECT_EQ(scene.open(), 0U);
  EXPECT_EQ(script->alive, 0);
}

TEST(WebSocketConnectionTest, Abort_CutsWithoutACloseFrame) {
  using Cut = ConnectionEffect::Cut;
  for (const Cut cut : {Cut::kStream, Cut::kConnection, Cut::kStall}) {
    for (const bool early : {false, true}) {
      WebSocketScene scene;
      const auto client = scene.Connect();
      const auto script = scene.handler().Add({{"a\n", early ? State::kAbort : State::kWait}});
      script->effect.cut = cut;
      std::string all = client->Exchange(kUpgrade);
      if (!early) {
        script->parts = {{"", State::kAbort}};
        scene.Wake(script);
        all += client->Receive();
      }
      EXPECT_EQ(all, kAccepted +
                         "\x81\x02"
                         "a\n"s);
      EXPECT_EQ(client->ended(), cut != Cut::kStall);
      EXPECT_EQ(scene.open(), cut == Cut::kStall ? 1U : 0U);
      EXPECT_EQ(script->alive, 0);
      if (cut != Cut::kStall) continue;
      EXPECT_EQ(client->Exchange(kPing), "");
      scene.RunFor(hours(24));
      EXPECT_EQ(scene.open(), 1U);
    }
  }
}

TEST(WebSocketConnectionTest, OtherAnswers_AreOrdinaryOnes) {
  struct Row {
    std::string request;
    int status;
    bool messages;  // the policy allows a WebSocket
    std::string output;
    bool ended;
  };
  std::string bad = kUpgrade;
  bad.replace(bad.find("n: 13"), 5, "n: 12");
  std::string old = kUpgrade;
  old.replace(old.find("HTTP/1.1"), 8, "HTTP/1.0");
  const std::string body = "\r\nContent-Length: 2\r\n\r\na\n";
  for (const Row& row : std::vector<Row>{
           {kUpgrade, 404, true, "HTTP/1.1 404 Not Found\r\nDate: now" + body, false},
           {kUpgrade, 200, false, "HTTP/1.1 200 OK\r\nDate: now" + body, false},
           {kGet, 200, true, "HTTP/1.1 200 OK\r\nDate: now" + body, false},
           {old, 200, true,
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 2\r\nConnection: close\r\n\r\na\n",
            true},
           {bad, 200, true,
            "HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13\r\nDate: now\r\n"
            "Content-Length: 32\r\nConnection: close\r\n\r\nmissing or bad WebSocket Version",
            true}}) {
    SCOPED_TRACE(row.request + row.output);
    ConnectionScene scene;
    scene.policy().messages = row.messages;
    const auto client = scene.Connect();
    const auto script = scene.handler().Add({{"a\n", State::kEnd}}, row.status);
    EXPECT_EQ(client->Exchange(row.request), row.output);
    EXPECT_EQ(client->ended(), row.ended);
    EXPECT_EQ(scene.host().replaced, 0);
    EXPECT_EQ(script->alive, 0);
    if (row.ended) continue;
    EXPECT_EQ(client->Exchange(kGet),
              "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 6\r\n\r\nGET / ");
  }
}

// Frames have their own form, and HTTP/1.0 knows no chunks.
TEST(WebSocketConnectionTest, FramesAndHttp10_AreNotCompressed) {
  std::string upgrade = kUpgrade;
  upgrade.insert(upgrade.size() - 2, "Accept-Encoding: gzip\r\n");
  ConnectionScene scene;
  scene.policy().compression = Compression::kMembers;
  for (const bool messages : {true, false}) {
    scene.policy().messages = messages;
    const auto client = scene.Connect();
    scene.handler().Add({{"a\n", State::kWait}});
    const std::string answer = client->Exchange(upgrade);
    EXPECT_EQ(answer == kAccepted +
                            "\x81\x02"
                            "a\n"s,
              messages);
    EXPECT_EQ(answer.find("Content-Encoding: gzip") != std::string::npos, !messages);
    scene.handler().Add({{"a\n", State::kEnd}});
    const auto old = scene.Connect();
    EXPECT_EQ(old->Exchange("GET / HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n"),
              "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 2\r\nConnection: close\r\n\r\na\n");
  }
}

TEST(WebSocketConnectionTest, RequestAfterAWebSocketOffer_IsOrdinary) {
  WebSocketScene scene;
  const auto client = scene.Connect();
  scene.handler().Add({{"a\n", State::kEnd}}, 404);
  client->Exchange(kUpgrade);
  EXPECT_EQ(
      client->Exchange("bad request\r\n\r\n"),
      "HTTP/1.1 400 Bad Request\r\nDate: now\r\nContent-Length: 34\r\nConnection: close\r\n\r\n"
      "malformed HTTP request: bad target");
}

}  // namespace
}  // namespace kinformer::internal::http
