// Responses over HTTP/1.1: the exact bytes of heads and bodies, and how the connection ends.

#include <gtest/gtest.h>
#include <string>

#include "http/connection_scene_for_test.h"

namespace kinformer::internal::http {
namespace {

using State = ResponseStream::State;

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr const char* kGet10 = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
constexpr const char* kHead = "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n";

struct Row {
  const char* input;
  int status;
  std::deque<Script::Part> parts;
  std::string output;
  bool ended;
};

TEST(Http1Responses, HeadAndBody_AreFramedExactly) {
  const std::string date = "Date: now\r\n";
  for (const Row& row : std::vector<Row>{
           {kGet,
            200,
            {{"abc", State::kEnd}},
            "HTTP/1.1 200 OK\r\n" + date + "Content-Length: 3\r\n\r\nabc",
            false},
           {kGet,
            404,
            {{"a", State::kMore}, {"b", State::kEnd}},
            "HTTP/1.1 404 Not Found\r\n" + date + "Content-Length: 2\r\n\r\nab",
            false},
           {kGet,
            200,
            {{"", State::kEnd}},
            "HTTP/1.1 200 OK\r\n" + date + "Content-Length: 0\r\n\r\n",
            false},
           {kGet,
            200,
            {{"ab", State::kWait}},
            "HTTP/1.1 200 OK\r\n" + date + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
            false},
           {kGet,
            200,
            {{"a", State::kWait}, {"0123456789abcdef01", State::kEnd}},
            "HTTP/1.1 200 OK\r\n" + date +
                "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n12\r\n0123456789abcdef01\r\n"
                "0\r\n\r\n",
            false},
           {kGet,
            200,
            {{"a", State::kWait}, {"", State::kEnd}},
            "HTTP/1.1 200 OK\r\n" + date + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
            false},
           {kGet,
            200,
            {{"a", State::kWait}, {"b", State::kMore}, {"", State::kWait}},
            "HTTP/1.1 200 OK\r\n" + date + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n",
            false},
           {kGet,
            200,
            {{"", State::kWait}},
            "HTTP/1.1 200 OK\r\n" + date + "Transfer-Encoding: chunked\r\n\r\n",
            false},
           {kGet, 204, {{"x", State::kEnd}}, "HTTP/1.1 204 No Content\r\n" + date + "\r\n", false},
           {kGet,
            304,
            {{"x", State::kWait}},
            "HTTP/1.1 304 Not Modified\r\n" + date + "\r\n",
            false},
           {kHead,
            200,
            {{"abc", State::kEnd}},
            "HTTP/1.1 200 OK\r\n" + date + "Content-Length: 3\r\n\r\n",
            false},
           {kHead, 200, {{"abc", State::kWait}}, "HTTP/1.1 200 OK\r\n" + date + "\r\n", false},
           {kGet10,
            200,
            {{"abc", State::kEnd}},
            "HTTP/1.1 200 OK\r\n" + date + "Content-Length: 3\r\nConnection: keep-alive\r\n\r\nabc",
            false},
           {kGet10,
            200,
            {{"abc", State::kWait}, {"d", State::kEnd}},
            "HTTP/1.1 200 OK\r\n" + date + "Connection: close\r\n\r\nabcd",
            true},
           {kGet10,
            204,
            {{"", State::kEnd}},
            "HTTP/1.1 204 No Content\r\n" + date + "Connection: keep-alive\r\n\r\n",
            false}}) {
    SCOPED_TRACE(row.output);
    ConnectionScene scene;
    const auto client = scene.Connect();
    const auto script = scene.handler().Add(row.parts, row.status);
    std::string all = client->Exchange(row.input);
    if (script->alive > 0 && !script->parts.empty()) scene.Wake(script);
    all += client->Receive();
    EXPECT_EQ(all, row.output);
    EXPECT_EQ(client->ended(), row.ended);
    EXPECT_EQ(scene.open(), 1U);
    EXPECT_EQ(scene.host().sent, row.output.size());
    if (row.ended || row.parts.back().state == State::kWait) continue;
    // A kept connection serves the next request in its own form.
    EXPECT_EQ(client->Exchange(kGet),
              "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 6\r\n\r\nGET / ");
  }
}

// The server frames the body itself, and no value may add lines to the head.
TEST(Http1Responses, HeadersOfTheHandler_AreSentWithoutThoseThatFrame) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  const auto script = scene.handler().Add({{"x", State::kEnd}});
  for (const char* name :
       {"Content-length", "transfer-Encoding", "connection", "KEEP-ALIVE", "upgrade"}) {
    script->headers.Add(name, "7");
  }
  script->headers.Add("A", "first");
  script->headers.Add("Evil", "x\r\nInjected: y");
  script->headers.Add("Evil", "x\ny");
  script->headers.Add("Evil", "x\ry");
  script->headers.Add("date", "mine");
  script->headers.Add("B", "");
  EXPECT_EQ(client->Exchange(kGet),
            "HTTP/1.1 200 OK\r\nA: first\r\ndate: mine\r\nB: \r\nContent-Length: 1\r\n\r\nx");
}

TEST(Http1Responses, HeadThatIsSent_IsFreedIfTheBodyGoesOn) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  const auto whole = scene.handler().Add({{"x", State::kEnd}});
  client->Exchange(kGet);
  EXPECT_EQ(whole->heads_released, 0) << "the whole response is freed";
  const auto script = scene.handler().Add({{"a", State::kWait}, {"b", State::kWait}});
  script->ready = false;
  client->Exchange(kGet);
  EXPECT_EQ(script->heads_released, 0) << "the head is not known yet";
  script->ready = true;
  scene.Wake(script);
  EXPECT_EQ(script->heads_released, 1);
  scene.Wake(script);
  EXPECT_EQ(script->heads_released, 1);
}

TEST(Http1Responses, HeadRequest_GetsTheLengthThatTheHandlerSays) {
  for (const auto& [value, line] :
       std::vector<std::pair<std::string, std::string>>{{"12345", "Content-Length: 12345\r\n"},
                                                        {"12x", "Content-Length: 3\r\n"},
                                                        {"", "Content-Length: 3\r\n"},
                                                        {"-1", "Content-Length: 3\r\n"}}) {
    ConnectionScene scene;
    const auto client = scene.Connect();
    scene.handler().Add({{"abc", State::kEnd}})->headers.Add("Content-Length", value);
    EXPECT_EQ(client->Exchange(kHead), "HTTP/1.1 200 OK\r\nDate: now\r\n" + line + "\r\n") << value;
  }
}

TEST(Http1Responses, LateResponse_BeginsWhenItIsReady) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  const auto script = scene.handler().Add({{"x", State::kEnd}});
  script->ready = false;
  EXPECT_EQ(client->Exchange(kGet), "");
  EXPECT_TRUE(script->asked.empty()) << "not read before it is ready";
  scene.RunFor(std::chrono::hours(1));
  scene.Wake(script);
  EXPECT_EQ(client->Receive(), "");
  script->ready = true;
  scene.Wake(script);
  EXPECT_EQ(client->Receive(), "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 1\r\n\r\nx");
  EXPECT_EQ(script->alive, 0);
  EXPECT_FALSE(client->ended());
}

// A handler that answers later need not know that the client has gone.
TEST(Http1Responses, WakeOfAConnectionThatHasGone_DoesNothing) {
  for (const bool upgraded : {false, true}) {
    ConnectionScene scene;
    scene.policy().messages = upgraded;
    const auto client = scene.Connect();
    const auto script = scene.handler().Add({});
    script->ready = upgraded;
    client->Exchange(upgraded ? "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n"
                                "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                "Origin: http://h\r\n\r\n"
                              : kGet);
    EXPECT_EQ(script->alive, 1);
    scene.CloseAll();
    scene.RunFor({});
    EXPECT_EQ(script->alive, 0);
    const int before = scene.host().wakes;
    scene.Wake(script);
    EXPECT_EQ(scene.host().wakes, before);
  }
}

// The length may become known soon, so that the head waits for it.
TEST(Http1Responses, ResponseThatResumesSoon_DelaysItsHead) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  const auto script = scene.handler().Add({{"ab", State::kWait}});
  script->resumes_soon = true;
  EXPECT_EQ(client->Exchange(kGet), "");
  script->parts = {{"c", State::kEnd}};
  scene.Wake(script);
  EXPECT_EQ(client->Receive(), "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 3\r\n\r\nabc");
}

// A response that gives nothing for a while lets others work, and is then asked again by itself.
TEST(Http1Responses, MoreWithoutBytes_IsAskedAgainInAnotherTurn) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  const auto script = scene.handler().Add({{"", State::kMore},
                                           {"", State::kMore},
                                           {"a", State::kWait},
                                           {"", State::kMore},
                                           {"b", State::kEnd}});
  EXPECT_EQ(client->Exchange(kGet),
            "HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
  EXPECT_EQ(scene.host().pumps, 2);
  scene.Wake(script);
  EXPECT_EQ(client->Receive(), "1\r\nb\r\n0\r\n\r\n");
  EXPECT_EQ(scene.host().pumps, 4);
}

TEST(Http1Responses, Abort_CutsTheConnection) {
  using Cut = ConnectionEffect::Cut;
  for (const Cut cut : {Cut::kStream, Cut::kConnection, Cut::kStall}) {
    for (const bool begun : {false, true}) {
      SCOPED_TRACE(begun);
      ConnectionScene scene;
      const auto client = scene.Connect();
      const auto script = scene.handler().Add({});
      script->effect.cut = cut;
      if (begun) script->parts.push_back({"a", State::kWait});
      script->parts.push_back({begun ? "b" : "", State::kAbort});
      std::string all = client->Exchange(kGet);
      if (begun) scene.Wake(script);
      all += client->Receive();
      EXPECT_EQ(all, begun ? "HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n"
                             "1\r\na\r\n1\r\nb\r\n"
                           : "");
      EXPECT_EQ(script->alive, 0);
      EXPECT_EQ(client->ended(), cut != Cut::kStall);
      EXPECT_EQ(scene.open(), cut == Cut::kStall ? 1U : 0U) << "cut at once";
      // A connection that is left waiting answers nothing more, and never ends by itself.
      if (cut != Cut::kStall) continue;
      EXPECT_EQ(client->Exchange(kGet), "");
      scene.RunFor(std::chrono::hours(24));
      EXPECT_FALSE(client->ended());
      EXPECT_EQ(scene.handler().requests.size(), 1U);
    }
  }
}

// Body data without an explicit end must not look complete.
TEST(Http1Responses, AbortWithData_EndsWithoutTheLastChunk) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  scene.handler().Add({{"abc", State::kAbort}});
  EXPECT_EQ(client->Exchange(kGet),
            "HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  EXPECT_TRUE(client->ended());
}

TEST(Http1Responses, GoAway_IsSaidInTheHeadAndEndsTheConnection) {
  ConnectionScene scene;
  const auto client = scene.Connect();
  scene.handler().Add({{"abc", State::kEnd}})->effect.go_away = true;
  EXPECT_EQ(client->Exchange(kGet),
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc");
  EXPECT_TRUE(client->ended());
}

TEST(Http1Responses, LastRequestOfAConnection_SaysSo) {
  ConnectionScene scene;
  scene.options().max_requests_per_connection = 3;
  const auto client = scene.Connect();
  const std::string kept = "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 6\r\n\r\nGET / ";
  EXPECT_EQ(client->Exchange(kGet), kept);
  EXPECT_EQ(client->Exchange(kGet), kept);
  EXPECT_FALSE(client->ended());
  EXPECT_EQ(client->Exchange(kGet),
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 6\r\nConnection: close\r\n\r\nGET / ");
  EXPECT_TRUE(client->ended());
}

}  // namespace
}  // namespace kinformer::internal::http
