// Pace of WebSockets: what one turn writes, and what a client that does not read holds back.

#include <gtest/gtest.h>
#include <string>

#include "http/connection_scene_for_test.h"

namespace kinformer::internal::http {
namespace {

using State = ResponseStream::State;
using std::chrono::milliseconds;
using std::chrono::seconds;
using namespace std::string_literals;

constexpr const char* kUpgrade =
    "GET /w HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Origin: http://h\r\n\r\n";
constexpr const char* kNormalClosure = "\x88\x02\x03\xe8";

class WebSocketScene : public ConnectionScene {
 public:
  explicit WebSocketScene(Duration tick = {}) : ConnectionScene(tick) { policy().messages = true; }
};

// A client that pings and reads nothing is not read any more beyond 64 KiB of pongs.
TEST(WebSocketTurns, UnreadPongs_PauseReading) {
  WebSocketScene scene;
  scene.keep_server_ends = true;
  const auto client = scene.Connect(ConnectionScene::Kind::kHttp1, {}, 1);
  scene.handler().Add({{"", State::kWait}});
  client->Exchange(kUpgrade);
  const std::string ping =
      "\x89\xfd"
      "\0\0\0\0"s +
      std::string(125, 'p');
  std::size_t sent = 0;
  for (; client->Unread() == 0 && sent < 5000; ++sent) client->Send(ping);
  EXPECT_GE(sent * 127, std::size_t{65536});
  EXPECT_LE(sent * 127, std::size_t{65536 + 20000});
  scene.RunFor(seconds(59));
  EXPECT_EQ(scene.open(), 1U);
  std::string pongs;
  for (std::size_t i = 0; i < sent; ++i) pongs += "\x8a\x7d" + std::string(125, 'p');
  EXPECT_TRUE(client->Receive() == pongs) << "reading goes on";
  client->Send(ping);
  EXPECT_EQ(client->Unread(), 0U);
}

TEST(WebSocketTurns, ClientThatReadsNothing_HasTheWriteTimeout) {
  WebSocketScene scene;
  const auto client = scene.Connect(ConnectionScene::Kind::kHttp1, {}, 1);
  const auto script = scene.handler().Add({{std::string(100000, 'x') + "\n", State::kWait}});
  client->Send(kUpgrade);
  EXPECT_TRUE(scene.ClosesAfter(seconds(60)));
  EXPECT_EQ(script->alive, 0);
}

TEST(WebSocketTurns, LongAnswer_YieldsAfterFourSlices) {
  for (const int slices : {3, 4}) {
    WebSocketScene scene;
    const auto client = scene.Connect(ConnectionScene::Kind::kHttp1, {}, 212992);
    const auto script = scene.handler().Add({{"", State::kWait}});
    client->Exchange(kUpgrade);
    std::string all;
    for (int i = 0; i < slices; ++i) {
      script->parts.push_back({std::string(65535, 'x') + "\n", State::kMore});
      all += "\x81\x7f\0\0\0\0\0\1\0\0"s + script->parts.back().bytes;
    }
    script->parts.push_back({"", State::kEnd});
    scene.Wake(script);
    EXPECT_EQ(scene.host().pumps, slices == 4 ? 2 : 1);
    EXPECT_TRUE(client->Receive() == all + kNormalClosure);
  }
}

TEST(WebSocketTurns, SlowAnswer_YieldsAfterAMillisecond) {
  WebSocketScene scene(milliseconds(1));
  const auto client = scene.Connect();
  const auto script = scene.handler().Add({{"", State::kWait}});
  client->Exchange(kUpgrade);
  script->parts = {
      {"a\n", State::kMore}, {"", State::kMore}, {"b\n", State::kMore}, {"c\n", State::kWait}};
  scene.Wake(script);
  EXPECT_EQ(client->Receive(),
            "\x81\x02"
            "a\n"
            "\x81\x02"
            "b\n"
            "\x81\x02"
            "c\n");
  EXPECT_EQ(scene.host().pumps, 4);
}

TEST(WebSocketTurns, SlowReader_HoldsTheAnswerBack) {
  WebSocketScene scene;
  const auto client = scene.Connect(ConnectionScene::Kind::kHttp1, {}, 1);
  const auto script = scene.handler().Add({{"", State::kWait}});
  client->Exchange(kUpgrade);
  std::string all;
  for (int i = 0; i < 8; ++i) {
    script->parts.push_back({std::string(65535, 'x') + "\n", State::kMore});
    all += "\x81\x7f\0\0\0\0\0\1\0\0"s + script->parts.back().bytes;
  }
  script->parts.push_back({"", State::kEnd});
  for (int i = 0; i < 5; ++i) scene.Wake(script);
  EXPECT_GE(script->parts.size(), 6U) << "pulled at most two slices";
  EXPECT_TRUE(client->Receive() == all + kNormalClosure);
}

}  // namespace
}  // namespace kinformer::internal::http
