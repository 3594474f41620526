// Responses over HTTP/2: heads, bodies, windows, cuts, GOAWAY, and all deadlines.

#include <gtest/gtest.h>
#include <string>

#include "http/http2_client_for_test.h"

namespace kinformer::internal::http {
namespace {

using State = ResponseStream::State;
using Fields = Http2Client::Fields;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
constexpr auto kHttp2 = ConnectionScene::Kind::kHttp2;
const Fields kHost{{":authority", "h"}};

TEST(Http2Responses, HeadsAndBodies_AreExact) {
  struct Row {
    const char* method;
    int status;
    std::deque<Script::Part> parts;
    std::string head;
    std::string data;
    bool ended;
  };
  for (const Row& row : std::vector<Row>{
           {"GET", 200, {{"abc", State::kEnd}}, "date=now;content-length=3;", "abc", true},
           {"GET", 404, {{"", State::kEnd}}, "date=now;content-length=0;", "", true},
           {"GET", 200, {{"a", State::kMore}, {"b", State::kWait}}, "date=now;", "ab", false},
           {"GET", 200, {{"", State::kWait}, {"", State::kEnd}}, "date=now;", "", true},
           {"GET", 200, {{"a", State::kWait}, {"b", State::kEnd}}, "date=now;", "ab", true},
           {"GET",
            200,
            {{"a", State::kWait}, {"", State::kMore}, {"b", State::kWait}},
            "date=now;",
            "ab",
            false},
           {"GET", 204, {{"x", State::kEnd}}, "date=now;", "", true},
           {"HEAD", 200, {{"abc", State::kEnd}}, "date=now;content-length=3;", "", true}}) {
    ConnectionScene scene;
    Http2Client client(scene.Connect(kHttp2));
    const auto script = scene.handler().Add(row.parts, row.status);
    const auto id = client.Request(row.method, kHost);
    if (!script->parts.empty()) scene.Wake(script);
    client.Pump();
    SCOPED_TRACE(row.head + row.data + std::to_string(row.status));
    EXPECT_EQ(client[id].head, ":status=" + std::to_string(row.status) + ";" + row.head);
    EXPECT_EQ(client[id].data, row.data);
    EXPECT_EQ(client[id].ended, row.ended);
    EXPECT_EQ(client[id].code, 0U);
    EXPECT_EQ(script->alive, row.ended ? 0 : 1);
  }
}

TEST(Http2Responses, Headers_AreInLowerCase) {
  ConnectionScene scene;
  Http2Client client(scene.Connect(kHttp2));
  const auto script = scene.handler().Add({{"x", State::kEnd}});
  script->headers.Add("X-ABZ", "Value");
  script->headers.Add("Connection", "close");
  script->headers.Add("Date", "mine");
  const auto id = client.Request("GET", kHost);
  EXPECT_EQ(client[id].head, ":status=200;x-abz=Value;date=mine;content-length=1;");
}

TEST(Http2Responses, HeadThatIsSent_IsFreedIfTheBodyGoesOn) {
  ConnectionScene scene;
  Http2Client client(scene.Connect(kHttp2));
  const auto whole = scene.handler().Add({{"x", State::kEnd}});
  client.Request("GET", kHost);
  EXPECT_EQ(whole->heads_released, 0) << "the whole response is freed";
  const auto script = scene.handler().Add({{"a", State::kWait}, {"b", State::kWait}});
  client.Request("GET", kHost);
  EXPECT_EQ(script->heads_released, 1);
  scene.Wake(script);
  EXPECT_EQ(script->heads_released, 1);
}

TEST(Http2Responses, LateResponse_BeginsWhenItIsReady) {
  for (const bool soon : {true, false}) {
    ConnectionScene scene;
    Http2Client client(scene.Connect(kHttp2));
    const auto script = scene.handler().Add({{"a", soon ? State::kWait : State::kEnd}});
    script->ready = soon;
    script->resumes_soon = soon;
    const auto id = client.Request("GET", kHost);
    EXPECT_EQ(client[id].head, "");
    scene.RunFor(hours(10));
    scene.Wake(script);
    client.Pump();
    EXPECT_EQ(client[id].head, "");
    script->ready = true;
    if (soon) script->parts = {{"", State::kEnd}};
    scene.Wake(script);
    client.Pump();
    EXPECT_EQ(client[id].head, ":status=200;date=now;content-length=1;");
    EXPECT_EQ(client[id].data, "a");
  }
}

TEST(Http2Responses, WakeOfAConnectionThatHasGone_DoesNothing) {
  for (const bool gate : {false, true}) {
    ConnectionScene scene;
    Http2Client client(scene.Connect(kHttp2));
    auto script = Script::Of({});
    script->ready = false;
    (gate ? scene.handler().gates : scene.handler().scripts).push_back(script);
    client.Request(gate ? "PUT" : "GET", kHost, nullptr, /*open=*/gate);
    EXPECT_EQ(script->alive, 1) << gate;
    scene.CloseAll();
    scene.RunFor({});
    EXPECT_EQ(script->alive, 0);
    const int before = scene.host().wakes;
    scene.Wake(script);
    EXPECT_EQ(scene.host().wakes, before);
  }
}

TEST(Http2Responses, SlowResponse_YieldsAndGoesOnByItself) {
  ConnectionScene scene(milliseconds(1));
  Http2Client client(scene.Connect(kHttp2));
  const auto script = scene.handler().Add(
      {{"a", State::kMore}, {"b", State::kMore}, {"", State::kMore}, {"c", State::kWait}});
  const auto id = client.Request("GET", kHost);
  EXPECT_EQ(client[id].data, "abc");
  EXPECT_GE(scene.host().pumps, 3);
  script->parts = {{"d", State::kMore}, {"", State::kMore}, {"e", State::kEnd}};
  scene.Wake(script);
  client.Pump();
  EXPECT_EQ(client[id].data, "abcde");
  EXPECT_TRUE(client[id].ended);
}

TEST(Http2Responses, ManyRequestsAtOnce_AreAllAnswered) {
  for (const Duration tick : {Duration(), Duration(milliseconds(1))}) {
    ConnectionScene scene(tick);
    Http2Client client(scene.Connect(kHttp2));
    const std::string body = "abc";
    std::vector<std::int32_t> ids;
    for (int i = 0; i < 20; ++i) ids.push_back(client.Request("PUT", kHost, &body, i % 2 == 0));
    for (int i = 0; i < 20; i += 2) client.Send(ids[static_cast<std::size_t>(i)], "d", false);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      EXPECT_EQ(client[ids[i]].data, i % 2 == 0 ? "PUT / abcd" : "PUT / abc") << i;
    }
  }
}

// The client's window holds a response back; the rest follows in order, from many small chunks.
TEST(Http2Responses, Window_HoldsTheBodyBack) {
  ConnectionScene scene;
  Http2Client client(scene.Connect(kHttp2), true, 1000);
  const auto script = scene.handler().Add({});
  std::string all;
  for (int i = 0; i < 40; ++i) {
    std::string part = std::to_string(i);
    part.append(static_cast<std::size_t>(i * 50), 'x');
    all += part;
    script->parts.push_back({part, i == 39 ? State::kEnd : State::kMore});
  }
  const auto id = client.Request("GET", kHost);
  EXPECT_EQ(client[id].head,
            ":status=200;date=now;content-length=" + std::to_string(all.size()) + ";");
  EXPECT_EQ(client[id].data, all.substr(0, 1000));
  while (!client[id].ended && client[id].data.size() < all.size()) {
    const std::size_t before = client[id].data.size();
    nghttp2_submit_window_update(client.session(), NGHTTP2_FLAG_NONE, id, 777);
    client.Pump();
    ASSERT_EQ(client[id].data.size(), std::min(before + 777, all.size()));
  }
  EXPECT_TRUE(client[id].data == all);
  EXPECT_TRUE(client[id].ended);
}

TEST(Http2Responses, LongBody_ArrivesThroughASmallSocket) {
  ConnectionScene scene;
  Http2Client client(scene.Connect(kHttp2, {}, 1), true, 1 << 30);
  std::string all;
  const auto script = scene.handler().Add({});
  for (int i = 0; i < 30; ++i) {
    script->parts.push_back({std::string(50000, static_cast<char>('a' + i % 26)), State::kMore});
    all += script->parts.back().bytes;
  }
  script->parts.push_back({"", State::kEnd});
  const auto id = client.Request("GET", kHost);
  EXPECT_TRUE(client[id].data == all);
  EXPECT_TRUE(client[id].ended);
}

TEST(Http2Responses, Abort_CutsItsStreamOrTheConnection) {
  using Cut = ConnectionEffect::Cut;
  for (const Cut cut : {Cut::kStream, Cut::kConnection, Cut::kStall}) {
    for (const bool begun : {true, false}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(cut)) + std::to_string(begun));
      ConnectionScene scene;
      Http2Client client(scene.Connect(kHttp2));
      const auto other = scene.handler().Add({{"o", State::kWait}});
      const auto script = scene.handler().Add({{"", begun ? State::kWait : State::kAbort}});
      script->effect.cut = cut;
      const auto one = client.Request("GET", kHost);
      const auto two = client.Request("GET", kHost);
      script->parts = {{"", State::kAbort}};
      if (begun) scene.Wake(script);
      client.Pump();
      EXPECT_EQ(client[one].data, "o");
      EXPECT_EQ(client[two].head, begun ? ":status=200;date=now;" : "");
      EXPECT_EQ(client[two].ended, cut == Cut::kStream);
      EXPECT_EQ(client[two].code, cut == Cut::kStream ? std::uint32_t{NGHTTP2_INTERNAL_ERROR} : 0U);
      EXPECT_EQ(scene.open(), cut == Cut::kConnection ? 0U : 1U);
      EXPECT_EQ(client.raw().ended(), cut == Cut::kConnection);
      EXPECT_EQ(script->alive, 0);
      EXPECT_EQ(other->alive, cut == Cut::kStream ? 1 : 0);
      if (cut != Cut::kStall) continue;
      scene.RunFor(hours(24));
      EXPECT_EQ(scene.open(), 1U) << "left waiting for ever";
      const auto three = client.Request("GET", kHost);
      EXPECT_EQ(client[three].head, "");
    }
  }
}

TEST(Http2Responses, EffectsOnTheConnection_AreSaid) {
  ConnectionScene scene;
  scene.options().max_requests_per_connection = 3;
  Http2Client client(scene.Connect(kHttp2));
  scene.handler().Add({{"x", State::kEnd}})->effect.max_streams = 5;
  client.Request("GET", kHost);
  EXPECT_EQ(client.settings.back(), "3=5;");
  EXPECT_EQ(client.settings.size(), 2U);
  client.Request("GET", kHost);
  EXPECT_EQ(client.goaways, std::vector<std::string>{});
  const auto last = client.Request("GET", kHost);
  EXPECT_EQ(client.goaways, std::vector<std::string>{"5:0"});
  EXPECT_EQ(client[last].data, "GET / ");
  EXPECT_TRUE(client.raw().ended());
  EXPECT_TRUE(scene.ClosesAfter(seconds(2)));
  Http2Client second(scene.Connect(kHttp2));
  const auto script = scene.handler().Add({{"x", State::kWait}});
  script->effect.go_away = true;
  const auto id = second.Request("GET", kHost);
  EXPECT_EQ(second.goaways, std::vector<std::string>{"1:0"});
  EXPECT_FALSE(second.raw().ended()) << "its stream goes on";
  script->parts = {{"y", State::kEnd}};
  scene.Wake(script);
  second.Pump();
  EXPECT_EQ(second[id].data, "xy");
  EXPECT_TRUE(second.raw().ended());
}

TEST(Http2Deadlines, ClientWithoutSettings_HasTheHeaderTimeout) {
  ConnectionScene scene;
  Http2Client silent(scene.Connect(kHttp2), false);
  EXPECT_TRUE(scene.ClosesAfter(seconds(32)));
}

TEST(Http2Deadlines, IdleConnection_GetsGoAway_AndIsClosed) {
  ConnectionScene scene;
  Http2Client client(scene.Connect(kHttp2));
  client.Request("GET", kHost);
  scene.RunFor(seconds(90) - Duration(1));
  client.Pump();
  EXPECT_TRUE(client.goaways.empty());
  scene.RunFor(Duration(1));
  client.Pump();
  EXPECT_EQ(client.goaways, std::vector<std::string>{"1:0"});
  EXPECT_TRUE(client.raw().ended());
  EXPECT_TRUE(scene.ClosesAfter(seconds(2)));
}

TEST(Http2Deadlines, SlowBody_IsCancelled_OpenStreamsAreNot) {
  ConnectionScene scene;
  Http2Client client(scene.Connect(kHttp2));
  scene.handler().Add({{"x", State::kWait}});
  const auto watch = client.Request("GET", kHost);
  const auto gate = scene.handler().gates.emplace_back(Script::Of({}, 100));
  gate->ready = false;
  const auto gated = client.Request("PUT", kHost, nullptr, true);
  const auto slow = client.Request("PUT", kHost, nullptr, true);
  scene.RunFor(seconds(59));
  client.Pump();
  EXPECT_FALSE(client[slow].ended);
  scene.RunFor(seconds(32));  // looked at every 30 s
  client.Pump();
  EXPECT_TRUE(client[slow].ended);
  EXPECT_EQ(client[slow].code, NGHTTP2_CANCEL);
  scene.RunFor(hours(10));
  client.Pump();
  EXPECT_FALSE(client[watch].ended);
  EXPECT_FALSE(client[gated].ended);
}

TEST(Http2Deadlines, ClosedWindow_IsResetAfterTheWriteTimeout) {
  ConnectionScene scene;
  Http2Client client(scene.Connect(kHttp2), true, 10);
  const auto script = scene.handler().Add({{"0123456789more", State::kEnd}});
  const auto id = client.Request("GET", kHost);
  scene.RunFor(seconds(59));
  client.Pump();
  EXPECT_EQ(client[id].data, "0123456789");
  EXPECT_FALSE(client[id].ended);
  scene.RunFor(seconds(32));
  client.Pump();
  EXPECT_TRUE(client[id].ended);
  EXPECT_EQ(client[id].code, NGHTTP2_ENHANCE_YOUR_CALM);
  EXPECT_EQ(script->alive, 0);
}

}  // namespace
}  // namespace kinformer::internal::http
