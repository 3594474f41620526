// HTTP/2 frame by frame: the server's answers to clients that break or follow the protocol.

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nghttp2/nghttp2.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>

#include "apiserver/http/testing.h"

namespace kinformer::apiserver {
namespace {

// A connection on which the test chooses the frames. Blocks, with a time limit.
class RawClient {
 public:
  struct Stream {
    std::map<std::string, std::string> headers{};
    std::string body{};
    bool closed = false;
    std::uint32_t error = 0;
  };

  explicit RawClient(int fd, bool take_bodies = true) : fd_(fd) {
    ::signal(SIGPIPE, SIG_IGN);  // OpenSSL's sockets raise it if the server has closed
    context_.reset(SSL_CTX_new(TLS_client_method()));
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), fd_);
    constexpr unsigned char kOffer[] = {2, 'h', '2'};
    SSL_set_alpn_protos(ssl_.get(), kOffer, sizeof kOffer);
    EXPECT_EQ(SSL_connect(ssl_.get()), 1);
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, &OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &OnClose);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &OnFrame);
    nghttp2_option* option = nullptr;
    nghttp2_option_new(&option);
    // Windows that are never refilled run dry.
    nghttp2_option_set_no_auto_window_update(option, take_bodies ? 0 : 1);
    // Requests more streams than the server allows, until it receives the server's limit.
    nghttp2_option_set_peer_max_concurrent_streams(option, 1000);
    nghttp2_option_set_max_send_header_block_length(option, std::size_t{1} << 20);
    nghttp2_session_client_new2(&session, callbacks, this, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, nullptr, 0);
  }
  ~RawClient() {
    nghttp2_session_del(session);
    ::close(fd_);
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  std::int32_t Request(const std::string& path,
                       std::vector<std::pair<std::string, std::string>> more = {},
                       const std::string& method = "GET") {
    std::vector<std::pair<std::string, std::string>> all = {
        {":method", method}, {":scheme", "https"}, {":authority", "localhost"}, {":path", path}};
    all.insert(all.end(), more.begin(), more.end());
    std::vector<nghttp2_nv> fields;
    for (auto& [name, value] : all) {
      fields.push_back({reinterpret_cast<std::uint8_t*>(name.data()),
                        reinterpret_cast<std::uint8_t*>(value.data()), name.size(), value.size(),
                        NGHTTP2_NV_FLAG_NONE});
    }
    return nghttp2_submit_request(session, nullptr, fields.data(), fields.size(), nullptr, nullptr);
  }
  // Writes all pending frames. Returns false if the connection accepts no more.
  bool Send() {
    for (;;) {
      const std::uint8_t* bytes = nullptr;
      const ssize_t size = nghttp2_session_mem_send(session, &bytes);
      if (size <= 0) return size == 0;
      if (SSL_write(ssl_.get(), bytes, static_cast<int>(size)) <= 0) return false;
    }
  }
  bool Write(const std::string& bytes) {
    return SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) > 0;
  }
  // Exchanges frames until `done` returns true. Returns false after ten seconds, or when the
  // connection ends.
  bool Until(const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + seconds(10);
    while (!done()) {
      Send();
      if (std::chrono::steady_clock::now() > end) return false;
      pollfd wait{fd_, POLLIN, 0};
      if (SSL_pending(ssl_.get()) == 0 && ::poll(&wait, 1, 20) == 0) continue;
      char buffer[16384];
      const int got = SSL_read(ssl_.get(), buffer, sizeof buffer);
      if (got <= 0) {
        ended = true;
        return done();
      }
      if (nghttp2_session_mem_recv(session, reinterpret_cast<std::uint8_t*>(buffer),
                                   static_cast<std::size_t>(got)) < 0) {
        return false;
      }
    }
    return true;
  }
  bool Ends() {
    return Until([&] { return ended; });
  }

  nghttp2_session* session = nullptr;
  std::map<std::int32_t, Stream> streams{};
  bool goaway = false;
  bool ended = false;

 private:
  static RawClient& Of(void* self) { return *static_cast<RawClient*>(self); }
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                      std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                      std::uint8_t, void* self) {
    Of(self).streams[frame->hd.stream_id].headers.emplace(
        std::string(reinterpret_cast<const char*>(name), name_size),
        std::string(reinterpret_cast<const char*>(value), value_size));
    return 0;
  }
  static int OnData(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                    std::size_t size, void* self) {
    Of(self).streams[id].body.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }
  static int OnClose(nghttp2_session*, std::int32_t id, std::uint32_t error, void* self) {
    Of(self).streams[id].closed = true;
    Of(self).streams[id].error = error;
    return 0;
  }
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    if (frame->hd.type == NGHTTP2_GOAWAY) Of(self).goaway = true;
    return 0;
  }

  int fd_;
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context_{nullptr, &SSL_CTX_free};
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_{nullptr, &SSL_free};
};

class Http2ServerTest : public ::testing::Test, protected HttpServerFixture {
 protected:
  Http2ServerTest() : HttpServerFixture(Protocol::kHttp2Tls) {}
  static std::uint32_t MaxStreams(const RawClient& client) {
    return nghttp2_session_get_remote_settings(client.session,
                                               NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  }
};

TEST_F(Http2ServerTest, ManyStreamsShareAConnectionAndEndOneByOne) {
  Listen();
  RawClient client(Dial());
  std::vector<std::int32_t> silent;
  for (int i = 0; i < 50; ++i) silent.push_back(client.Request("/silent?watch=1"));
  const std::int32_t big = client.Request("/big?size=3000000");
  const std::int32_t ticks = client.Request("/ticks?watch=1");
  const std::int32_t late = client.Request("/late");
  ASSERT_TRUE(client.Until([&] {
    return client.streams[big].closed && client.streams[ticks].closed &&
           client.streams[late].closed;
  }));
  EXPECT_TRUE(client.streams[big].body == Repeated(3000000));
  EXPECT_EQ(client.streams[ticks].body, "tick 1\ntick 2\ntick 3\ntick 4\ntick 5\n");
  EXPECT_EQ(client.streams[late].body, "late");
  // The head of a watch comes before its first event.
  for (const std::int32_t id : silent) {
    ASSERT_TRUE(client.Until([&] { return client.streams[id].headers[":status"] == "200"; }));
  }
  EXPECT_EQ(handler_.alive, 50);
  // Resetting one watch's stream ends only that watch.
  nghttp2_submit_rst_stream(client.session, NGHTTP2_FLAG_NONE, silent[7], NGHTTP2_CANCEL);
  client.Send();
  EXPECT_TRUE(Eventually([&] { return handler_.alive == 49; }));
  EXPECT_EQ(server_->Stats().connections_accepted, 1U);
  EXPECT_EQ(server_->Stats().http2_connections_accepted, 1U);
}

TEST_F(Http2ServerTest, StreamsAreLimitedAndTheLimitMoves) {
  Listen({.http2_max_streams = 2});
  RawClient client(Dial());
  ASSERT_TRUE(client.Until([&] { return MaxStreams(client) == 2; }));
  server_->SetMaxStreams(1);
  ASSERT_TRUE(client.Until([&] { return MaxStreams(client) == 1; }));
  const std::int32_t id = client.Request("/limit");
  ASSERT_TRUE(client.Until([&] { return client.streams[id].closed && MaxStreams(client) == 3; }));
  EXPECT_EQ(client.streams[id].body, "so be it");
}

TEST_F(Http2ServerTest, StreamsAboveTheLimitAreRefused_Row25) {
  Listen();
  RawClient client(Dial());
  std::vector<std::int32_t> ids;
  for (int i = 0; i < 150; ++i) ids.push_back(client.Request("/silent?watch=1"));
  const auto count = [&](auto holds) {
    return std::count_if(ids.begin(), ids.end(),
                         [&](std::int32_t id) { return holds(client.streams[id]); });
  };
  const auto refused = [](const RawClient::Stream& stream) {
    return stream.closed && stream.error == static_cast<std::uint32_t>(NGHTTP2_REFUSED_STREAM);
  };
  ASSERT_TRUE(client.Until([&] {
    return count(refused) == 50 && count([](RawClient::Stream& stream) {
                                     return stream.headers[":status"] == "200";
                                   }) == 100;
  }));
  EXPECT_EQ(handler_.alive, 100);
  EXPECT_FALSE(client.goaway);
  // A stream that ends makes room for another one.
  nghttp2_submit_rst_stream(client.session, NGHTTP2_FLAG_NONE, ids[0], NGHTTP2_CANCEL);
  const std::int32_t next = client.Request("/late");
  ASSERT_TRUE(client.Until([&] { return client.streams[next].closed; }));
  EXPECT_EQ(client.streams[next].body, "late");
}

TEST_F(Http2ServerTest, AnAbortedResponseIsReset) {
  Listen();
  RawClient client(Dial());
  const std::int32_t cut = client.Request("/cut");
  const std::int32_t other = client.Request("/silent?watch=1");
  ASSERT_TRUE(client.Until([&] { return client.streams[cut].closed; }));
  EXPECT_EQ(client.streams[cut].error, static_cast<std::uint32_t>(NGHTTP2_INTERNAL_ERROR));
  EXPECT_EQ(client.streams[cut].body, Repeated(100000));
  EXPECT_FALSE(client.streams[other].closed);
  EXPECT_FALSE(client.goaway);
}

// An answer may say that it goes on and be gone before it is asked.
TEST_F(Http2ServerTest, AnAnswerThatWakesAsItIsTakenBack_HarmsNobody) {
  Listen();
  RawClient client(Dial());
  const std::int32_t last = client.Request("/last-word?watch=1");
  ASSERT_TRUE(client.Until([&] { return client.streams[last].headers.contains(":status"); }));
  nghttp2_submit_rst_stream(client.session, NGHTTP2_FLAG_NONE, last, NGHTTP2_CANCEL);
  const std::int32_t other = client.Request("/echo");
  ASSERT_TRUE(client.Until([&] { return client.streams[other].closed; }));
  EXPECT_EQ(client.streams[other].headers[":status"], "200");
  EXPECT_TRUE(Eventually([&] { return handler_.alive == 0; }));
}

TEST_F(Http2ServerTest, OpenStreamsOutliveGoAway_F23) {
  Listen();
  RawClient client(Dial());
  const std::int32_t watch = client.Request("/ticks?watch=1");
  client.Until([&] { return client.streams[watch].headers.contains(":status"); });
  server_->GoAway();
  ASSERT_TRUE(client.Until([&] { return client.goaway; }));
  ASSERT_TRUE(client.Until([&] { return client.streams[watch].closed; }));
  EXPECT_EQ(client.streams[watch].body.size(), 35U);
  EXPECT_EQ(client.streams[watch].error, 0U);
  EXPECT_TRUE(client.Ends());
}

// Flow control: the server does not make data that a client does not take; others continue.
TEST_F(Http2ServerTest, AStreamThatIsNotTakenHoldsUpNoOther_SRV154) {
  TestStream::most_pulled = 0;
  Listen({.write_timeout = milliseconds(300)});
  RawClient client(Dial(), /*take_bodies=*/false);
  const std::int32_t endless = client.Request("/endless");
  ASSERT_TRUE(client.Until([&] { return client.streams[endless].body.size() == 65535; }));
  // The connection's window is used up, too; the test refills it, but not the stream's.
  nghttp2_session_consume_connection(client.session, 65535);
  const std::int32_t other = client.Request("/ticks?watch=1");
  ASSERT_TRUE(client.Until([&] { return client.streams[other].closed; }));
  EXPECT_EQ(client.streams[other].body.size(), 35U);
  EXPECT_LE(TestStream::most_pulled.load(), 65535U + (std::size_t{192} << 10));
  // The server does not wait for the client for ever.
  ASSERT_TRUE(client.Until([&] { return client.streams[endless].closed; }));
  EXPECT_EQ(client.streams[endless].error, static_cast<std::uint32_t>(NGHTTP2_ENHANCE_YOUR_CALM));
  EXPECT_TRUE(Eventually([&] { return handler_.alive == 0; }));
}

TEST_F(Http2ServerTest, HeadersAreBounded) {
  Listen({.max_header_bytes = 8192});
  RawClient client(Dial());
  const std::int32_t id = client.Request("/echo", {{"x-long", std::string(9000, 'h')}});
  const std::int32_t good = client.Request("/echo", {{"x-test", "7"}});
  ASSERT_TRUE(
      client.Until([&] { return client.streams[id].closed && client.streams[good].closed; }));
  EXPECT_EQ(client.streams[id].headers[":status"], "431");
  EXPECT_EQ(client.streams[good].body, "GET /echo user= x=7 body=");
}

TEST_F(Http2ServerTest, HeadersUpToALargeLimitAreTakenAndMoreAreRefused) {
  Listen({.max_header_bytes = std::size_t{256} << 10});
  RawClient client(Dial());
  const auto request = [&](int fields) {
    std::vector<std::pair<std::string, std::string>> headers = {{"x-test", "7"}};
    for (int i = 0; i < fields; ++i) {
      // Letters that are no shorter in Huffman's code: as many bytes in as many frames.
      headers.emplace_back("x-long-" + std::to_string(i), std::string(20'000, 'X'));
    }
    return client.Request("/echo", headers);
  };
  const std::int32_t good = request(10);
  const std::int32_t id = request(14);
  ASSERT_TRUE(
      client.Until([&] { return client.streams[id].closed && client.streams[good].closed; }));
  EXPECT_EQ(client.streams[good].body, "GET /echo user= x=7 body=");
  EXPECT_EQ(client.streams[id].headers[":status"], "431");
  EXPECT_THAT(client.streams[id].body, ::testing::HasSubstr("longer than 262144 bytes"));
}

TEST_F(Http2ServerTest, RapidResetsEndTheConnection) {
  Listen();
  RawClient client(Dial());
  for (int i = 0; i < 3000 && client.Send(); ++i) {
    const std::int32_t id = client.Request("/silent?watch=1");
    if (id < 0 || !client.Send()) break;
    nghttp2_submit_rst_stream(client.session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  }
  client.Until([&] { return client.goaway || client.ended; });
  EXPECT_TRUE(client.goaway || client.ended);
  EXPECT_TRUE(Eventually([&] { return handler_.alive == 0; }));
  EXPECT_LT(server_->Stats().requests, 1500U);
}

// Each of these frames asks for an answer, which the client never reads.
TEST_F(Http2ServerTest, FloodsOfPingsAndSettingsEndTheConnection) {
  for (const bool pings : {true, false}) {
    Listen({.write_timeout = milliseconds(200)});
    RawClient client(Dial());
    ASSERT_TRUE(client.Until([&] { return MaxStreams(client) == 100; }));
    const std::string frame = pings ? std::string("\0\0\10\6\0\0\0\0\0whatever", 17)
                                    : std::string("\0\0\0\4\0\0\0\0\0", 9);
    std::string many;
    for (int i = 0; i < 1000; ++i) many += frame;
    for (int i = 0; i < 5000 && client.Write(many); ++i) {
    }
    EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_open == 0; }));
    server_.reset();
  }
}

TEST_F(Http2ServerTest, SilentConnectionsAreDropped) {
  Listen({.header_timeout = milliseconds(50)});
  RawClient silent(Dial());
  EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_open == 0; }));
  RawClient without_settings(Dial());
  without_settings.Write(NGHTTP2_CLIENT_MAGIC);
  EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_open == 0; }));
}

TEST_F(Http2ServerTest, AConnectionThatHasBegunAndAsksNothing_IsIdleAndToldToGo) {
  Listen({.idle_timeout = milliseconds(50), .write_timeout = milliseconds(200)});
  RawClient client(Dial());
  EXPECT_TRUE(client.Until([&] { return client.goaway; }));
  EXPECT_TRUE(client.Ends());
}

// Long enough for a request to arrive in time on a busy machine.
TEST_F(Http2ServerTest, IdleConnectionsAreDropped) {
  Listen({.idle_timeout = seconds(1), .write_timeout = milliseconds(200)});
  RawClient idle(Dial());
  const std::int32_t id = idle.Request("/echo");
  ASSERT_TRUE(idle.Until([&] { return idle.streams[id].closed; }));
  EXPECT_TRUE(idle.Until([&] { return idle.goaway; }));
  EXPECT_TRUE(idle.Ends());
}

TEST_F(Http2ServerTest, ABodyThatNeverComesIsGivenUp) {
  Listen({.body_timeout = milliseconds(50)});
  RawClient client(Dial());
  std::pair<std::string, std::string> fields[] = {
      {":method", "POST"}, {":scheme", "https"}, {":authority", "localhost"}, {":path", "/echo"}};
  std::vector<nghttp2_nv> values;
  for (auto& [name, value] : fields) {
    values.push_back({reinterpret_cast<std::uint8_t*>(name.data()),
                      reinterpret_cast<std::uint8_t*>(value.data()), name.size(), value.size(),
                      NGHTTP2_NV_FLAG_NONE});
  }
  nghttp2_data_provider never{};
  never.read_callback = [](nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t,
                           std::uint32_t*, nghttp2_data_source*,
                           void*) -> ssize_t { return NGHTTP2_ERR_DEFERRED; };
  const std::int32_t id = nghttp2_submit_request(client.session, nullptr, values.data(),
                                                 values.size(), &never, nullptr);
  ASSERT_TRUE(client.Until([&] { return client.streams[id].closed; }));
  EXPECT_EQ(client.streams[id].error, static_cast<std::uint32_t>(NGHTTP2_CANCEL));
  EXPECT_EQ(server_->Stats().requests, 1U) << "counted at the end of its head";
}

// Rows 1, 4, 15 and 26.
TEST_F(Http2ServerTest, PagesFromElsewhereAndOtherHostsAreRefused) {
  Listen();
  RawClient client(Dial());
  const std::vector<std::pair<std::vector<std::pair<std::string, std::string>>, std::string>> rows =
      {
          {{{"origin", "https://evil"}}, "403"},
          {{{"origin", "https://localhost"}}, "200"},
          {{{"host", "evil"}}, "400"},
          {{{"host", "localhost"}}, "200"},
      };
  for (const auto& [fields, status] : rows) {
    const std::int32_t id = client.Request("/echo", fields);
    ASSERT_TRUE(client.Until([&] { return client.streams[id].closed; }));
    EXPECT_EQ(client.streams[id].headers[":status"], status) << fields.front().second;
  }
  const std::int32_t broken = client.Request("/echo", {{"x-test", "a\r\nb: c"}});
  client.Until([&] { return client.streams[broken].closed || client.ended; });
  EXPECT_NE(client.streams[broken].headers[":status"], "200");
}

// Rows 23, 24 and 27: frames that no library sends.
TEST_F(Http2ServerTest, FramesAgainstTheRulesEndTheConnectionAndNoMore) {
  Listen();
  const auto frame = [](char type, char flags, char stream, const std::string& payload) {
    const auto size = payload.size();
    return std::string{static_cast<char>(size >> 16),
                       static_cast<char>(size >> 8),
                       static_cast<char>(size),
                       type,
                       flags,
                       '\0',
                       '\0',
                       '\0',
                       stream} +
           payload;
  };
  const std::string start = "\x82\x87\x84\x41\x09localhost";  // GET, https, /, :authority
  // A value of 4,000 bytes is put into the HPACK table and referenced 10,000 times.
  const std::string bomb =
      start + "\x40\x01x\x7f\xa1\x1e" + std::string(4000, 'v') + std::string(10'000, '\xbe');
  std::string flood = frame(1, 1, 1, start);
  for (int i = 0; i < 20'000; ++i) flood += frame(9, 0, 1, {"\x40\x01x\x01y", 5});
  for (const std::string& bytes :
       {flood, frame(1, 5, 1, bomb), frame(8, 0, 0, std::string(4, '\0')), frame(1, 5, 2, start),
        frame(0, 1, 1, "data without a request")}) {
    RawClient client(Dial());
    ASSERT_TRUE(client.Until([&] { return MaxStreams(client) == 100; }));
    client.Write(bytes);
    client.Until([&] { return client.goaway || client.ended; });
    const Reply reply = Client().Get(server_->url() + "/echo");
    EXPECT_EQ(reply.status, 200);
    EXPECT_LT(reply.body.size(), 1000U);
  }
}

TEST_F(Http2ServerTest, Http2Off_ServesHttp1) {
  Listen({.http2 = false});
  const Reply reply = Client().Get(server_->url() + "/echo");
  EXPECT_EQ(reply.status, 200);
  EXPECT_FALSE(reply.http2);
  EXPECT_EQ(server_->Stats().http2_connections_accepted, 0U);
}

}  // namespace
}  // namespace kinformer::apiserver
