// Changes to another protocol over HTTP/1.1 as bytes.

#include <gtest/gtest.h>
#include <string>

#include "http/connection_scene_for_test.h"

namespace kinformer::internal::http {
namespace {

using State = ResponseStream::State;
using std::chrono::seconds;

constexpr const char* kUpgrade =
    "GET /u HTTP/1.1\r\nHost: h\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n";
constexpr const char* kAgreed =
    "HTTP/1.1 101 Switching Protocols\r\nDate: now\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n";

std::shared_ptr<Script> Agreeing(ConnectionScene& scene, std::deque<Script::Part> parts) {
  const auto script = scene.handler().Add(std::move(parts), 101);
  script->headers.Add("Upgrade", "echo");
  return script;
}

TEST(UpgradedConnectionTest, BytesGoBothWaysAsTheyAre) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  const auto script = Agreeing(scene, {{"hello\n", State::kWait}});
  EXPECT_EQ(client->Exchange(kUpgrade), kAgreed + std::string("hello\n"));
  EXPECT_EQ(client->Exchange("to the handler"), "");
  EXPECT_EQ(script->received, "to the handler");
  script->parts = {{std::string("\0\r\n raw", 7), State::kWait}};
  scene.Wake(script);
  EXPECT_EQ(client->Receive(), std::string("\0\r\n raw", 7));
  script->parts = {{"end", State::kEnd}};
  scene.Wake(script);
  EXPECT_EQ(client->Receive(), "end");
  EXPECT_TRUE(client->ended());
  EXPECT_EQ(script->alive, 0);
  EXPECT_TRUE(scene.ClosesAfter(seconds(2)));
}

TEST(UpgradedConnectionTest, BytesThatFollowTheRequestBelongToTheProtocol) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  const auto script = Agreeing(scene, {{"", State::kWait}});
  EXPECT_EQ(client->Exchange(kUpgrade + std::string("GET / HTTP/1.1\r\n\r\n")), kAgreed);
  EXPECT_EQ(script->received, "GET / HTTP/1.1\r\n\r\n");
}

TEST(UpgradedConnectionTest, AnAnswerThatThrowsCutsTheConnection) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  const auto script = Agreeing(scene, {{"x", State::kWait}});
  script->throws_on_input = true;
  EXPECT_EQ(client->Exchange(kUpgrade), kAgreed + std::string("x"));
  EXPECT_EQ(client->Exchange("to the handler"), "");
  EXPECT_TRUE(client->ended());
  EXPECT_TRUE(scene.host().connections.empty());
}

TEST(UpgradedConnectionTest, AClientThatGoesEndsTheAnswer) {
  ConnectionScene scene;
  auto client = scene.Connect();
  const auto script = Agreeing(scene, {{"", State::kWait}});
  EXPECT_EQ(client->Exchange(kUpgrade), kAgreed);
  EXPECT_EQ(script->alive, 1);
  client.reset();
  Settle(scene.sim());
  EXPECT_EQ(script->alive, 0);
  EXPECT_TRUE(scene.host().connections.empty());
}

TEST(UpgradedConnectionTest, AnswersOfHttpAreAnswersOfHttp) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  scene.handler().Add({{"no", State::kEnd}}, 403);
  EXPECT_EQ(client->Exchange(kUpgrade),
            "HTTP/1.1 403 Forbidden\r\nDate: now\r\nContent-Length: 2\r\n\r\nno");
}

TEST(UpgradedConnectionTest, ARequestThatDoesNotAskForIt_IsRefused) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  const auto script = Agreeing(scene, {{"hello", State::kWait}});
  const std::string answer = client->Exchange("GET /u HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(answer.substr(0, 12), "HTTP/1.1 400") << answer;
  EXPECT_NE(answer.find("Upgrade request required"), std::string::npos) << answer;
  EXPECT_EQ(script->alive, 0);
}

}  // namespace
}  // namespace kinformer::internal::http
