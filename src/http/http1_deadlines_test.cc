// Deadlines of connections that speak HTTP/1.1, to the nanosecond, and how such connections end.

#include <gtest/gtest.h>
#include <string>

#include "http/connection_scene_for_test.h"

namespace kinformer::internal::http {
namespace {

using State = ResponseStream::State;
using std::chrono::hours;
using std::chrono::seconds;

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr const char* kClosing = "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
constexpr const char* kPost = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n";

TEST(Http1Deadlines, FirstHead_HasTheHeaderTimeoutFromTheFirstByte) {
  ConnectionScene scene;
  const auto silent = scene.Connect();
  EXPECT_TRUE(scene.ClosesAfter(seconds(32)));
  silent->Receive();
  EXPECT_TRUE(silent->ended());
  const auto slow = scene.Connect();
  scene.RunFor(seconds(10));
  slow->Send("G");
  scene.RunFor(seconds(20));
  slow->Send("ET / HTTP/1.1\r\n");
  EXPECT_TRUE(scene.ClosesAfter(seconds(12))) << "further bytes give no more time";
}

TEST(Http1Deadlines, IdleConnection_HasTheIdleTimeout_NextHeadTheHeaderTimeout) {
  ConnectionScene scene;
  const auto idle = scene.Connect();
  idle->Exchange(kGet);
  scene.RunFor(seconds(80));
  idle->Exchange(kGet);
  EXPECT_TRUE(scene.ClosesAfter(seconds(90)));
  const auto slow = scene.Connect();
  slow->Exchange(kGet);
  scene.RunFor(seconds(5));
  slow->Send("G");
  EXPECT_TRUE(scene.ClosesAfter(seconds(32)));
  const auto both = scene.Connect();
  both->Exchange(std::string(kGet) + "GET");
  EXPECT_TRUE(scene.ClosesAfter(seconds(32))) << "the next head has begun";
}

TEST(Http1Deadlines, Body_HasTheBodyTimeoutFromTheEndOfTheHead) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  client->Send("POST / HTTP/1.1\r\n");
  scene.RunFor(seconds(30));
  client->Send("Host: h\r\nContent-Length: 3\r\n\r\n");
  scene.RunFor(seconds(50));
  client->Send("ab");
  EXPECT_TRUE(scene.ClosesAfter(seconds(10)));
  EXPECT_TRUE(scene.handler().requests.empty());
}

TEST(Http1Deadlines, Response_HasNoDeadline) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  const auto script =
      scene.handler().Add({{"a", State::kWait}, {"", State::kMore}, {"b", State::kEnd}});
  client->Exchange(kGet);
  scene.RunFor(hours(1000));
  scene.Wake(script);
  EXPECT_EQ(client->Receive(), "1\r\nb\r\n0\r\n\r\n");
  EXPECT_TRUE(scene.ClosesAfter(seconds(90)));
}

TEST(Http1Deadlines, ClosedGate_HasNoDeadline_OpenGateTheBodyTimeout) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  const auto gate = scene.handler().gates.emplace_back(Script::Of({}, 100));
  gate->ready = false;
  client->Send(kPost);
  client->Send("ab");
  scene.RunFor(hours(1000));
  scene.Wake(gate);
  EXPECT_EQ(scene.open(), 1U) << "woken too early";
  gate->ready = true;
  scene.Wake(gate);
  EXPECT_TRUE(scene.ClosesAfter(seconds(60)));
  EXPECT_EQ(gate->alive, 0);
}

TEST(Http1Deadlines, EndedConnection_WaitsTwoSecondsForTheClient) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  client->Exchange(kClosing);
  EXPECT_TRUE(client->ended());
  scene.RunFor(seconds(1));
  EXPECT_EQ(client->Exchange(kGet), "") << "read, but not answered";
  EXPECT_TRUE(scene.ClosesAfter(seconds(1)));
  EXPECT_EQ(scene.handler().requests.size(), 1U);
  const auto polite = scene.Connect();
  polite->Exchange(kClosing);
  polite->Close();
  Settle(scene.sim());
  EXPECT_EQ(scene.open(), 0U) << "the client has closed, too";
}

// A client that goes on sending cannot keep its connection.
TEST(Http1Deadlines, EndedConnection_DiscardsSixteenMebibytes) {
  constexpr std::size_t kMost = std::size_t{16} << 20;
  ConnectionScene scene;
  const auto client = scene.Connect();
  client->Exchange(kClosing);
  const std::string part(std::size_t{32} << 10, 'x');
  for (std::size_t sent = 0; sent < kMost; sent += part.size()) {
    ASSERT_EQ(client->Send(part), part.size());
    ASSERT_EQ(scene.open(), 1U) << sent;
  }
  client->Send("x");
  EXPECT_EQ(scene.open(), 0U);
}

TEST(Http1Deadlines, ClientThatReadsNothing_HasTheWriteTimeout) {
  ConnectionScene scene;
  const auto client = scene.Connect(ConnectionScene::Kind::kHttp1, {}, 1);
  scene.handler().Add({{std::string(200000, 'x'), State::kEnd}});
  client->Send(kGet);
  scene.RunFor(seconds(50));
  EXPECT_NE(client->Take(100000), "");
  scene.RunFor(seconds(30));
  EXPECT_EQ(scene.open(), 1U) << "it has read something 30 s ago";
  EXPECT_TRUE(scene.ClosesAfter(seconds(30)));
}

TEST(Http1Deadlines, ClientThatVanishes_EndsTheResponse) {
  ConnectionScene scene;
  for (const bool ready : {true, false}) {
    const auto client = scene.Connect();
    const auto script = scene.handler().Add({});
    script->ready = ready;
    client->Exchange(kGet);
    EXPECT_EQ(script->alive, 1);
    client->Close();
    Settle(scene.sim());
    EXPECT_EQ(script->alive, 0);
    EXPECT_EQ(scene.open(), 0U);
  }
  const auto client = scene.Connect();
  const auto gate = scene.handler().gates.emplace_back(Script::Of({}, 100));
  gate->ready = false;
  client->Send(kPost);
  EXPECT_EQ(gate->alive, 1);
  client->Close();
  Settle(scene.sim());
  EXPECT_EQ(gate->alive, 0);
}

TEST(Http1GoAway, IdleConnection_ClosesAtOnce_OthersAfterTheirRequest) {
  struct Row {
    const char* first;   // before GoAway
    const char* second;  // after it
    std::string output;  // of the second
    std::size_t open;    // connections right after GoAway
  };
  const std::string closing =
      "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 6\r\nConnection: close\r\n\r\nGET / ";
  const std::string post =
      "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 10\r\nConnection: close\r\n\r\nPOST / abc";
  for (const Row& row : std::vector<Row>{{"", "", "", 0},
                                         {kGet, "", "", 0},
                                         {"GET / HT", "TP/1.1\r\nHost: h\r\n\r\n", closing, 1},
                                         {kPost, "abc", post, 1}}) {
    SCOPED_TRACE(row.first);
    ConnectionScene scene;
    const auto client = scene.Connect();
    client->Exchange(row.first);
    scene.OnLoop([&] { scene.connection().GoAway(); });
    EXPECT_EQ(scene.open(), row.open);
    if (row.open == 0) continue;
    EXPECT_EQ(client->Exchange(row.second), row.output);
    EXPECT_TRUE(client->ended());
  }
}

TEST(Http1GoAway, Response_IsFinished_ThenTheConnectionEnds) {
  for (const bool next : {false, true}) {
    ConnectionScene scene;
    const auto client = scene.Connect();
    const auto script = scene.handler().Add({{"a", State::kWait}});
    client->Exchange(kGet);
    if (next) client->Send(kGet);
    scene.OnLoop([&] { scene.connection().GoAway(); });
    EXPECT_EQ(scene.open(), 1U);
    EXPECT_FALSE(client->ended());
    script->parts = {{"b", State::kEnd}};
    scene.Wake(script);
    // The head has promised to keep the connection: a request that has come is served.
    EXPECT_EQ(client->Receive(), std::string("1\r\nb\r\n0\r\n\r\n") +
                                     (next ? "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 6\r\n"
                                             "Connection: close\r\n\r\nGET / "
                                           : ""));
    EXPECT_TRUE(client->ended());
  }
}

TEST(Http1GoAway, UnwrittenResponse_ReachesTheClient) {
  ConnectionScene scene;
  const auto client = scene.Connect(ConnectionScene::Kind::kHttp1, {}, 1);
  const std::string body(60000, 'x');
  scene.handler().Add({{body, State::kEnd}});
  client->Send(kGet);
  scene.OnLoop([&] { scene.connection().GoAway(); });
  EXPECT_EQ(scene.open(), 1U);
  EXPECT_TRUE(client->Receive() ==
              "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 60000\r\n\r\n" + body);
}

}  // namespace
}  // namespace kinformer::internal::http
