// Limits of HTTP/2 connections that only single frames reach: floods, continuations, trailers, and
// bodies of refused requests.

#include <gtest/gtest.h>
#include <string>

#include "http/http2_client_for_test.h"
#include "http/http2_frames_for_test.h"

namespace kinformer::internal::http {
namespace {

using State = ResponseStream::State;
using std::chrono::seconds;
constexpr auto kHttp2 = ConnectionScene::Kind::kHttp2;

std::string FieldsOf(const HttpRequest& request) {
  std::string fields;
  for (const auto& [name, value] : request.headers)
    fields.append(name).append("=").append(value).append(";");
  return fields;
}

TEST(Http2Limits, Settings_ComeBeforeTheClientSaysAnything) {
  ConnectionScene scene;
  const auto client = scene.Connect(kHttp2);
  const auto frames = FramesIn(client->Receive());
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(frames[0].type, kSettingsFrame);
  EXPECT_EQ(frames[0].flags, 0);
}

TEST(Http2Limits, ClientThatOnlyGreets_IsIdle) {
  ConnectionScene scene;
  const auto client = scene.Connect(kHttp2);
  client->Send(std::string(kPreface) + Frame(kSettingsFrame, 0, 0));
  scene.RunFor(seconds(90) - Duration(1));
  EXPECT_TRUE(PayloadsIn(client->Receive(), 7, 0).empty());
  EXPECT_EQ(scene.open(), 1U);
  scene.RunFor(Duration(1));
  EXPECT_EQ(PayloadsIn(client->Receive(), 7, 0), std::vector<std::string>{std::string(8, '\0')});
}

TEST(Http2Limits, OtherProtocol_ClosesTheConnection) {
  ConnectionScene scene;
  const auto client = scene.Connect(kHttp2);
  client->Exchange("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(client->ended());
  EXPECT_EQ(scene.open(), 0U);
}

// A violation of the protocol is answered with GOAWAY, and then the connection ends.
TEST(Http2Limits, DataOfNoStream_EndsTheConnection) {
  ConnectionScene scene;
  const auto client = scene.Connect(kHttp2);
  const auto script = scene.handler().Add({{"a", State::kWait}});
  client->Exchange(Greeting() + Get(1));
  const std::string got = client->Exchange(Frame(kDataFrame, 0, 0, "x"));
  const auto said = PayloadsIn(got, 7, 0);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].substr(0, 8), BigEndian(1, 4) + BigEndian(NGHTTP2_PROTOCOL_ERROR, 4));
  EXPECT_TRUE(client->ended());
  EXPECT_TRUE(scene.ClosesAfter(seconds(2)));
  EXPECT_EQ(script->alive, 0);
}

TEST(Http2Limits, ThousandPings_AreAnswered_OneMoreClosesTheConnection) {
  for (const int count : {1000, 1001}) {
    ConnectionScene scene;
    const auto client = scene.Connect(kHttp2);
    client->Exchange(Greeting());
    std::string pings;
    for (int i = 0; i < count; ++i) pings += Frame(kPingFrame, 0, 0, "12345678");
    const std::string got = client->Exchange(pings);
    EXPECT_EQ(PayloadsIn(got, kPingFrame, 0).size(), count == 1000 ? 1000U : 0U);
    EXPECT_EQ(scene.open(), count == 1000 ? 1U : 0U);
  }
}

// The allowance grows slowly with the machine's clock: by a thousand in ten seconds.
TEST(Http2Limits, ThousandResets_AreAllowed_NotTwice) {
  ConnectionScene scene;
  const auto client = scene.Connect(kHttp2);
  std::string got = client->Exchange(Greeting());
  std::uint32_t id = 1;
  const auto send = [&](int count) {
    std::string frames;
    for (int i = 0; i < count; ++i, id += 2) {
      frames += Get(id) + Frame(kResetFrame, 0, id, BigEndian(NGHTTP2_CANCEL, 4));
    }
    got += client->Exchange(frames);
  };
  for (int i = 0; i < 10; ++i) send(100);
  EXPECT_TRUE(PayloadsIn(got, 7, 0).empty());
  EXPECT_FALSE(client->ended());
  for (int i = 0; i < 9; ++i) send(100);
  EXPECT_EQ(PayloadsIn(got, 7, 0).size(), 1U);
  EXPECT_TRUE(client->ended());
}

#if defined(KINFORMER_NGHTTP2_LIMITS_CONTINUATIONS)
// A head of the allowed size fits into that many frames, with eight to spare.
TEST(Http2Limits, Continuations_AreLimited) {
  struct Row {
    std::size_t max_header_bytes;
    int most;
  };
  for (const Row& row : std::vector<Row>{{1000, 8}, {16383, 8}, {16384, 9}, {65536, 12}}) {
    for (const int count : {row.most, row.most + 1}) {
      SCOPED_TRACE(std::to_string(row.max_header_bytes) + " " + std::to_string(count));
      ConnectionScene scene;
      scene.options().max_header_bytes = row.max_header_bytes;
      const auto client = scene.Connect(kHttp2);
      std::string frames = Greeting() + Frame(kHeadersFrame, kEndStream, 1, RequestFields("GET"));
      for (int i = 1; i <= count; ++i) {
        frames += Frame(kContinuationFrame, i == count ? kEndHeaders : 0, 1, Field("x", "y"));
      }
      const std::string got = client->Exchange(frames);
      EXPECT_EQ(scene.handler().requests.size(), count == row.most ? 1U : 0U);
      EXPECT_EQ(PayloadsIn(got, kDataFrame, 1).size(), count == row.most ? 1U : 0U);
    }
  }
}
#endif

TEST(Http2Limits, Trailers_AreIgnored) {
  ConnectionScene scene;
  const auto client = scene.Connect(kHttp2);
  const std::string trailers =
      Frame(kHeadersFrame, kEndHeaders | kEndStream, 1, Field("x-t", "1") + Field("host", "i"));
  const std::string got = client->Exchange(Greeting() + Put(1, Field("x-a", "2")) +
                                           Frame(kDataFrame, 0, 1, "abc") + trailers);
  EXPECT_EQ(PayloadsIn(got, kDataFrame, 1), std::vector<std::string>{"PUT / abc"});
  ASSERT_EQ(scene.handler().requests.size(), 1U);
  EXPECT_EQ(FieldsOf(scene.handler().requests[0]), "host=h;x-a=2;");
  // So they are in another turn than the head, and for a request that was refused.
  EXPECT_EQ(client->Exchange(Put(3) + Frame(kDataFrame, 0, 3, "d")), "");
  client->Exchange(Frame(kHeadersFrame, kEndHeaders | kEndStream, 3, Field("x-t", "1")));
  ASSERT_EQ(scene.handler().requests.size(), 2U);
  EXPECT_EQ(FieldsOf(scene.handler().requests[1]), "host=h;");
  EXPECT_EQ(PayloadsIn(client->Exchange(Put(5, Field("authorization", "wrong"))), kDataFrame, 5),
            std::vector<std::string>{"Unauthorized"});
  client->Exchange(Frame(kHeadersFrame, kEndHeaders | kEndStream, 5, Field("x-t", "1")));
  EXPECT_EQ(PayloadsIn(client->Exchange(Get(7)), kDataFrame, 7),
            std::vector<std::string>{"GET / "});
  EXPECT_EQ(scene.open(), 1U);
}

// Trailers that do not end gain no time.
TEST(Http2Limits, EndlessTrailers_AreCancelledAsAnyBody) {
  ConnectionScene scene;
  scene.options().body_timeout = seconds(20);
  const auto client = scene.Connect(kHttp2);
  client->Exchange(Greeting() + Put(1));
  scene.RunFor(seconds(15));
  client->Exchange(Frame(kHeadersFrame, kEndStream, 1, Field("x-t", "1")));
  scene.RunFor(seconds(10) - Duration(1));
  EXPECT_EQ(client->Receive(), "");
  scene.RunFor(Duration(1));
  EXPECT_EQ(PayloadsIn(client->Receive(), kResetFrame, 1),
            std::vector<std::string>{BigEndian(NGHTTP2_CANCEL, 4)});
}

// A request that is wrong from its head on is refused before its body.
TEST(Http2Limits, WrongHead_IsRefusedBeforeTheBody) {
  struct Row {
    std::string more;
    std::string body;
  };
  for (const Row& row :
       std::vector<Row>{{Field("host", "i"), "there are several Host headers"},
                        {Field("x", std::string(120, 'x')) + Field("y", std::string(120, 'y')),
                         "request headers are longer than 300 bytes"},
                        {Field("authorization", "wrong"), "Unauthorized"}}) {
    SCOPED_TRACE(row.body);
    ConnectionScene scene;
    scene.options().max_header_bytes = 300;
    const auto client = scene.Connect(kHttp2);
    const std::string got = client->Exchange(Greeting() + Put(1, row.more));
    EXPECT_EQ(PayloadsIn(got, kDataFrame, 1), std::vector<std::string>{row.body});
    EXPECT_TRUE(scene.handler().judged.empty());
    client->Exchange(Frame(kDataFrame, kEndStream, 1, "abc"));
    EXPECT_TRUE(scene.handler().requests.empty());
    EXPECT_EQ(scene.open(), 1U);
  }
}

TEST(Http2Limits, OverlongBody_IsRefusedBeforeItsEnd) {
  ConnectionScene scene;
  scene.options().max_body_bytes = 10;
  const auto client = scene.Connect(kHttp2);
  client->Exchange(Greeting() + Put(1) + Frame(kDataFrame, 0, 1, "0123456789"));
  EXPECT_EQ(PayloadsIn(client->Exchange(Frame(kDataFrame, 0, 1, "x")), kDataFrame, 1),
            std::vector<std::string>{"Request entity too large: limit is 10"});
  EXPECT_TRUE(
      PayloadsIn(client->Exchange(Frame(kDataFrame, kEndStream, 1, "y")), kDataFrame, 1).empty());
  EXPECT_TRUE(scene.handler().requests.empty());
}

// Bodies of refused requests do not count, whether they came before or after the refusal.
TEST(Http2Limits, RefusedBodies_LeaveRoomForOthers) {
  for (const bool before : {true, false}) {
    SCOPED_TRACE(before);
    ConnectionScene scene;
    scene.options().max_body_bytes = 10;
    const auto client = scene.Connect(kHttp2);
    client->Exchange(Greeting());
    for (std::uint32_t id = 1; id < 41; id += 2) {
      const std::string body = Frame(kDataFrame, 0, id, "0123456789");
      if (before) {
        const auto gate =
            scene.handler().gates.emplace_back(Script::Of({{"no", State::kEnd}}, 403));
        gate->ready = false;
        client->Exchange(Put(id) + body);
        gate->ready = true;
        scene.Wake(gate);
        EXPECT_EQ(PayloadsIn(client->Receive(), kDataFrame, id), std::vector<std::string>{"no"});
      } else {
        client->Exchange(Put(id, Field("authorization", "wrong")));
        EXPECT_TRUE(PayloadsIn(client->Exchange(body), kResetFrame, id).empty());
      }
    }
    const std::string got =
        client->Exchange(Put(41) + Frame(kDataFrame, kEndStream, 41, "0123456789"));
    EXPECT_EQ(PayloadsIn(got, kDataFrame, 41), std::vector<std::string>{"PUT / 0123456789"});
  }
}

TEST(Http2Limits, AbortAfterItsLastBytes_SendsThemFirst) {
  ConnectionScene scene;
  const auto client = scene.Connect(kHttp2);
  scene.handler().Add({{"abc", State::kAbort}});
  const std::string got = client->Exchange(Greeting() + Get(1));
  EXPECT_EQ(PayloadsIn(got, kDataFrame, 1), std::vector<std::string>{"abc"});
  EXPECT_EQ(PayloadsIn(got, kResetFrame, 1),
            std::vector<std::string>{BigEndian(NGHTTP2_INTERNAL_ERROR, 4)});
}

TEST(Http2Limits, GoAway_IsSaidOnce) {
  ConnectionScene scene;
  const auto client = scene.Connect(kHttp2);
  scene.handler().Add({{"a", State::kWait}});
  client->Exchange(Greeting() + Get(1));
  std::string got;
  for (int i = 0; i < 2; ++i) {
    scene.OnLoop([&] {
      scene.connection().GoAway();
      scene.connection().GoAway();
    });
    got += client->Receive();
  }
  EXPECT_EQ(PayloadsIn(got, 7, 0), std::vector<std::string>{BigEndian(1, 4) + BigEndian(0, 4)});
}

// A response that comes late leaves its client the whole time to open the window.
TEST(Http2Limits, WriteTimeout_BeginsWithTheHead) {
  ConnectionScene scene;
  scene.options().write_timeout = seconds(20);
  const auto client = scene.Connect(kHttp2);
  const auto script = scene.handler().Add({{"abc", State::kEnd}});
  script->ready = false;
  client->Exchange(std::string(kPreface) +
                   Frame(kSettingsFrame, 0, 0, BigEndian(4, 2) + BigEndian(0, 4)) + Get(1));
  scene.RunFor(seconds(50));
  script->ready = true;
  scene.Wake(script);
  EXPECT_EQ(PayloadsIn(client->Receive(), kHeadersFrame, 1).size(), 1U);
  scene.RunFor(seconds(20) - Duration(1));
  EXPECT_EQ(client->Receive(), "");
  scene.RunFor(Duration(1));
  EXPECT_EQ(PayloadsIn(client->Receive(), kResetFrame, 1),
            std::vector<std::string>{BigEndian(NGHTTP2_ENHANCE_YOUR_CALM, 4)});
}

}  // namespace
}  // namespace kinformer::internal::http
