// Requests over HTTP/2: admission, limits, gates, and what their streams get.

#include <gtest/gtest.h>
#include <string>

#include "http/http2_client_for_test.h"

namespace kinformer::internal::http {
namespace {

using State = ResponseStream::State;
using Fields = Http2Client::Fields;
constexpr auto kHttp2 = ConnectionScene::Kind::kHttp2;
const std::pair<std::string, std::string> kHost{":authority", "h"};

TEST(Http2Requests, Settings_TellTheLimits) {
  ConnectionScene scene;
  scene.options().http2_max_streams = 7;
  scene.options().max_header_bytes = 5000;
  Http2Client client(scene.Connect(kHttp2));
  EXPECT_EQ(client.settings, std::vector<std::string>{"3=7;4=262144;6=5000;"});
  EXPECT_EQ(nghttp2_session_get_remote_window_size(client.session()), 1 << 20);
  scene.OnLoop([&] { scene.connection().SetMaxStreams(9); });
  client.Pump();
  EXPECT_EQ(client.settings.size(), 2U);
  EXPECT_EQ(client.settings.back(), "3=9;");
}

TEST(Http2Requests, Handler_GetsAllOfTheRequest) {
  ConnectionScene scene;
  Http2Client client(scene.Connect(kHttp2, "peer"));
  const std::string body = "abc";
  const auto id = client.Request("PUT", {kHost, {"host", "h"}, {"x-a", "1"}, {"x-a", "2"}}, &body);
  EXPECT_EQ(client[id].head, ":status=200;date=now;content-length=9;");
  EXPECT_EQ(client[id].data, "PUT / abc");
  EXPECT_TRUE(client[id].ended);
  EXPECT_EQ(client[id].code, 0U);
  ASSERT_EQ(scene.handler().requests.size(), 1U);
  const HttpRequest& request = scene.handler().requests[0];
  EXPECT_EQ(request.user, "peer");
  std::string fields;
  for (const auto& [name, value] : request.headers)
    fields.append(name).append("=").append(value).append(";");
  EXPECT_EQ(fields, "host=h;x-a=1;x-a=2;");
  EXPECT_EQ(scene.host().counted_requests, 1);
  EXPECT_EQ(scene.host().sent, client.received);
}

TEST(Http2Requests, Hosts_AreChecked) {
  struct Row {
    Fields fields;
    std::string status;
    std::string body;
  };
  for (const Row& row : std::vector<Row>{
           {{kHost}, "200", "GET / "},
           {{{"host", "h"}}, "200", "GET / "},
           {{kHost, {"host", "i"}}, "400", "there are several Host headers"},
           {{{":authority", "h:x"}}, "400", "the Host header is neither a name nor an address"},
           {{kHost, {"authorization", "wrong"}}, "401", "Unauthorized"}}) {
    SCOPED_TRACE(row.body);
    ConnectionScene scene;
    Http2Client client(scene.Connect(kHttp2));
    const auto id = client.Request("GET", row.fields);
    EXPECT_EQ(client[id].head, ":status=" + row.status + ";date=now;content-length=" +
                                   std::to_string(row.body.size()) + ";");
    EXPECT_EQ(client[id].data, row.body);
    EXPECT_TRUE(client[id].ended);
    const auto next = client.Request("GET", {kHost});
    EXPECT_EQ(client[next].data, "GET / ") << "other streams are not concerned";
    EXPECT_EQ(scene.open(), 1U);
    EXPECT_EQ(scene.host().counted_requests, row.status == "400" ? 1 : 2);
  }
}

// Each field counts 32 bytes more, as in RFC 9113.
TEST(Http2Requests, HeadUpToTheLimit_IsRead_OneMoreByteIsA431) {
  // :method GET, :scheme https, :path /, :authority h, x: the last one's name has one byte.
  const std::size_t others = 7 + 3 + 7 + 5 + 5 + 1 + 10 + 1 + 1 + 5 * 32;
  for (const std::size_t size : {499U, 500U, 501U}) {
    ConnectionScene scene;
    scene.options().max_header_bytes = 500;
    Http2Client client(scene.Connect(kHttp2));
    const auto id = client.Request("GET", {kHost, {"x", std::string(size - others, 'x')}});
    EXPECT_EQ(client[id].data, size > 500 ? "request headers are longer than 500 bytes" : "GET / ");
    EXPECT_EQ(client[id].head.substr(0, 12), size > 500 ? ":status=431;" : ":status=200;");
  }
}

TEST(Http2Requests, BodyUpToTheLimit_IsRead_MoreIsA413_FourTimesIsReset) {
  for (const std::size_t size : {9U, 10U, 11U, 40U, 41U}) {
    SCOPED_TRACE(size);
    ConnectionScene scene;
    scene.options().max_body_bytes = 10;
    Http2Client client(scene.Connect(kHttp2));
    const std::string body(size, 'b');
    const auto id = client.Request("PUT", {kHost}, &body);
    EXPECT_TRUE(client[id].ended);
    EXPECT_EQ(client[id].code, size > 40 ? std::uint32_t{NGHTTP2_ENHANCE_YOUR_CALM} : 0U);
    if (size > 40) continue;
    EXPECT_EQ(client[id].data,
              size > 10 ? "Request entity too large: limit is 10" : "PUT / " + body);
    EXPECT_EQ(client[id].head.substr(0, 12), size > 10 ? ":status=413;" : ":status=200;");
  }
}

TEST(Http2Requests, AllBodiesOfAConnection_AreLimitedTo16) {
  ConnectionScene scene;
  scene.options().max_body_bytes = 10;
  Http2Client client(scene.Connect(kHttp2));
  const std::string body(10, 'b');
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 16; ++i) ids.push_back(client.Request("PUT", {kHost}, &body, true));
  for (const auto id : ids) EXPECT_FALSE(client[id].ended);
  const std::string one = "x";
  const auto more = client.Request("PUT", {kHost}, &one, true);
  EXPECT_TRUE(client[more].ended);
  EXPECT_EQ(client[more].code, NGHTTP2_ENHANCE_YOUR_CALM);
  client.Send(ids[0], "", false);
  EXPECT_EQ(client[ids[0]].data, "PUT / " + body);
  const auto next = client.Request("PUT", {kHost}, &body, true);
  EXPECT_FALSE(client[next].ended) << "a complete one makes room";
  // So does one that the client gives up.
  nghttp2_submit_rst_stream(client.session(), NGHTTP2_FLAG_NONE, next, NGHTTP2_CANCEL);
  client.Pump();
  const auto last = client.Request("PUT", {kHost}, &body, true);
  EXPECT_FALSE(client[last].ended);
  const auto over = client.Request("PUT", {kHost}, &one, true);
  EXPECT_TRUE(client[over].ended);
}

TEST(Http2Requests, Continue_IsSaidOnRequest) {
  for (const auto& [value, said] :
       std::vector<std::pair<std::string, bool>>{{"100-Continue", true}, {"x", false}}) {
    ConnectionScene scene;
    Http2Client client(scene.Connect(kHttp2));
    const auto id = client.Request("PUT", {kHost, {"expect", value}}, nullptr, true);
    EXPECT_EQ(client[id].head, said ? ":status=100;" : "");
    client.Send(id, "abc", false);
    EXPECT_EQ(client[id].head,
              (said ? ":status=100;" : "") + std::string(":status=200;date=now;content-length=9;"));
    EXPECT_EQ(client[id].data, "PUT / abc");
  }
}

TEST(Http2Requests, Gates_DecideAboutTheBody) {
  for (const bool opens : {true, false}) {
    for (const bool later : {true, false}) {
      for (const bool complete : {true, false}) {
        SCOPED_TRACE(std::to_string(opens) + std::to_string(later) + std::to_string(complete));
        ConnectionScene scene;
        Http2Client client(scene.Connect(kHttp2));
        const auto gate = scene.handler().gates.emplace_back(
            Script::Of({{"no", State::kEnd}}, opens ? 100 : 403));
        gate->ready = !later;
        const std::string body = "abc";
        const auto id =
            client.Request("PUT", {kHost, {"expect", "100-continue"}}, &body, !complete);
        EXPECT_EQ(scene.handler().judged, std::vector<std::string>{"/"});
        if (later) {
          EXPECT_EQ(client[id].head, "");
          gate->ready = true;
          scene.Wake(gate);
          client.Pump();
        }
        EXPECT_EQ(gate->alive, opens || complete ? 0 : 1)
            << "the answer lives until its stream ends";
        if (!opens) {
          EXPECT_EQ(client[id].head, ":status=403;date=now;content-length=2;");
          EXPECT_EQ(client[id].data, "no");
          EXPECT_TRUE(scene.handler().requests.empty());
          continue;
        }
        if (!complete) {
          EXPECT_EQ(client[id].head, ":status=100;");
          client.Send(id, "d", false);
        }
        EXPECT_EQ(client[id].data, complete ? "PUT / abc" : "PUT / abcd");
        EXPECT_EQ(scene.handler().requests.size(), 1U);
      }
    }
  }
}

// Bodies behind closed gates are held, up to 64 KiB.
TEST(Http2Requests, ClosedGate_PausesReadingAt64Kibibytes) {
  ConnectionScene scene;
  scene.keep_server_ends = true;
  Http2Client client(scene.Connect(kHttp2));
  const auto gate = scene.handler().gates.emplace_back(Script::Of({}, 100));
  gate->ready = false;
  const auto id = client.Request("PUT", {kHost}, nullptr, true);
  client.Send(id, std::string(65535, 'a'), true);
  client.Send(id, "b", true);
  EXPECT_EQ(client.raw().Unread(), 0U);
  client.Send(id, "c", true);
  EXPECT_EQ(client.raw().Unread(), 10U) << "a frame of one byte";
  gate->ready = true;
  scene.Wake(gate);
  client.Pump();
  EXPECT_EQ(client.raw().Unread(), 0U);
  client.Send(id, std::string(100000, 'd'), false);
  ASSERT_EQ(scene.handler().requests.size(), 1U);
  EXPECT_TRUE(scene.handler().requests[0].body ==
              std::string(65535, 'a') + "bc" + std::string(100000, 'd'));
}

}  // namespace
}  // namespace kinformer::internal::http
