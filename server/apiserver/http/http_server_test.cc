// The HTTP front end over real loopback sockets, with curl as the client, in every protocol it
// supports.

#include "kinformer/apiserver/http_server.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>
#include <thread>
#include <zlib.h>

#include "kinformer/base/simulation.h"

#include "apiserver/http/testing.h"
#include "x509/tls_authority.h"

namespace kinformer::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class HttpServerTest : public ::testing::TestWithParam<Protocol>, protected HttpServerFixture {
 protected:
  HttpServerTest() : HttpServerFixture(GetParam()) {}
};
class HttpServerTlsTest : public HttpServerTest {};
class HttpServer1Test : public ::testing::Test, protected HttpServerFixture {
 protected:
  HttpServer1Test() : HttpServerFixture(Protocol::kHttp1) {}
};

TEST_P(HttpServerTest, AnswersAndKeepsTheConnection) {
  Listen();
  Curl curl = Client();
  curl.Header("X-Test: 7").Set(CURLOPT_POSTFIELDS, "hello");
  const Reply first = curl.Get(server_->url() + "/echo?a=b%20c");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.body, "POST /echo?a=b%20c user= x=7 body=hello");
  EXPECT_THAT(first.headers, HasSubstr("content-type: text/plain"));
  EXPECT_THAT(first.headers, HasSubstr("content-length: "));
  EXPECT_THAT(first.headers, HasSubstr("date: "));
  const Reply second = curl.Get(server_->url() + "/echo");
  EXPECT_EQ(second.connects, 0);
  EXPECT_EQ(server_->Stats().connections_accepted, 1U);
  EXPECT_EQ(server_->Stats().requests, 2U);
}

TEST_P(HttpServerTest, StreamsAsItComesInChunks) {
  Listen();
  Curl curl = Client();
  const Reply reply = curl.Get(server_->url() + "/ticks?watch=true");
  EXPECT_EQ(reply.body, "tick 1\ntick 2\ntick 3\ntick 4\ntick 5\n");
  EXPECT_EQ(reply.headers.find("transfer-encoding: chunked") != std::string::npos,
            protocol_ != Protocol::kHttp2Tls);
  EXPECT_EQ(reply.http2, protocol_ == Protocol::kHttp2Tls);
  EXPECT_EQ(curl.Get(server_->url() + "/late").body, "late");
  EXPECT_EQ(curl.Get(server_->url() + "/nothing").status, 204);
  EXPECT_EQ(server_->Stats().connections_accepted, 1U);
}

TEST_F(HttpServer1Test, HeadersOfAWatchComeBeforeItsFirstEvent) {
  Listen();
  const int fd = Dial();
  const std::string request = "GET /silent?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n";
  ::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
  char buffer[1024];
  const ssize_t n = ::recv(fd, buffer, sizeof(buffer), 0);
  ASSERT_GT(n, 0);
  EXPECT_THAT(std::string(buffer, static_cast<std::size_t>(n)), HasSubstr("HTTP/1.1 200 OK\r\n"));
  // The response ends when the client disconnects.
  EXPECT_TRUE(Eventually([&] { return handler_.alive == 1; }));
  ::close(fd);
  EXPECT_TRUE(Eventually([&] { return handler_.alive == 0; }));
  EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_open == 0; }));
}

TEST_P(HttpServerTest, LongBodiesArriveWholeCompressedOnlyWhenAskedAndWorthIt_SRV14) {
  Listen();
  for (const std::size_t size : {std::size_t{0}, std::size_t{65536}, std::size_t{131072},
                                 std::size_t{131073}, std::size_t{3000000}}) {
    const std::string expected = Repeated(size);
    const std::string url = server_->url() + "/big?size=" + std::to_string(size);
    Curl plain = Client();
    const Reply unpacked = plain.Get(url);
    EXPECT_TRUE(unpacked.body == expected) << size;
    EXPECT_THAT(unpacked.headers, Not(HasSubstr("gzip")));
    Curl gzip = Client();
    gzip.Set(CURLOPT_ACCEPT_ENCODING, "gzip");
    const Reply packed = gzip.Get(url);
    EXPECT_TRUE(packed.body == expected) << size;
    EXPECT_EQ(packed.headers.find("content-encoding: gzip") != std::string::npos, size > 131072)
        << size;
    EXPECT_THAT(gzip.Get(url + "&watch=true").headers, Not(HasSubstr("gzip")));
  }
}

TEST_F(HttpServer1Test, ASlowReaderCostsABufferAndNoMore) {
  Listen({.write_timeout = milliseconds(200)});
  const int fd = Dial();
  const std::string request = "GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n";
  ::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
  // The client never reads: the server closes after the write timeout.
  EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_accepted == 1; }));
  EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_open == 0; }));
  EXPECT_EQ(handler_.alive, 0);
  // Kernel buffers, and one buffer of the server.
  EXPECT_LE(TestStream::most_pulled.load(), server_->Stats().bytes_sent + 300000);
  ::close(fd);
}

TEST_P(HttpServerTest, AnAbortedResponseDoesNotLookComplete) {
  Listen();
  Curl curl = Client();
  const Reply reply = curl.Get(server_->url() + "/cut");
  EXPECT_NE(reply.code, CURLE_OK);
  // curl discards the received data of a stream that is reset.
  const std::string all = Repeated(100000);
  if (protocol_ == Protocol::kHttp2Tls) {
    EXPECT_THAT(all, ::testing::StartsWith(reply.body));
  } else {
    EXPECT_TRUE(reply.body == all);
  }
}

TEST_P(HttpServerTest, BoundsHeadersAndBodies) {
  Listen({.max_header_bytes = 8192, .max_body_bytes = 100000});
  const std::string at_limit(100000, 'b');
  const std::string over = at_limit + "b";
  Curl curl = Client();
  curl.Set(CURLOPT_POSTFIELDS, at_limit.c_str());
  EXPECT_EQ(curl.Get(server_->url() + "/echo").status, 200);
  curl.Set(CURLOPT_POSTFIELDS, over.c_str());
  const Reply reply = curl.Get(server_->url() + "/echo");
  EXPECT_EQ(reply.status, 413);
  EXPECT_THAT(reply.body, HasSubstr("\"reason\":\"RequestEntityTooLarge\""));
  EXPECT_THAT(reply.body, HasSubstr("limit is 100000"));
  Curl chunked = Client();
  chunked.Header("Transfer-Encoding: chunked").Set(CURLOPT_POSTFIELDS, over.c_str());
  EXPECT_EQ(chunked.Get(server_->url() + "/echo").status, 413);
  Curl header = Client();
  const std::string line = "X-Long: " + std::string(10000, 'h');
  header.Header(line.c_str());
  EXPECT_EQ(header.Get(server_->url() + "/echo").status, 431);
}

// Above 64 KiB, too, in fields of all lengths. Http2ServerTest has the same test.
TEST_P(HttpServerTest, HeadersUpToALargeLimitAreTakenAndMoreAreRefused) {
  if (protocol_ == Protocol::kHttp2Tls) return;
  Listen({.max_header_bytes = std::size_t{256} << 10});
  const auto ask = [&](std::size_t fields, std::size_t length) {
    std::string head = "GET /echo HTTP/1.1\r\nHost: localhost\r\nX-Test: 7\r\n";
    for (std::size_t i = 0; i < fields; ++i) {
      head += "X-Long-" + std::to_string(i) + ": " + std::string(length, 'h') + "\r\n";
    }
    head += "Connection: close\r\n\r\n";
    return protocol_ == Protocol::kHttp1 ? Talk(Dial(), head) : TalkTls(Dial(), head);
  };
  for (const std::size_t length : {1000U, 20'000U}) {
    SCOPED_TRACE(length);
    EXPECT_THAT(ask(200'000 / length, length), ::testing::EndsWith("GET /echo user= x=7 body="));
    const std::string refused = ask(280'000 / length, length);
    EXPECT_THAT(refused, ::testing::StartsWith("HTTP/1.1 431 "));
    EXPECT_THAT(refused, HasSubstr("request headers are longer than 262144 bytes"));
  }
}

TEST_P(HttpServerTest, SaysContinueWhenAsked) {
  Listen();
  Curl curl = Client();
  const std::string body(50000, 'c');
  curl.Header("Expect: 100-continue").Set(CURLOPT_POSTFIELDS, body.c_str());
  const Reply reply = curl.Get(server_->url() + "/echo");
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.headers,
              HasSubstr(protocol_ == Protocol::kHttp2Tls ? "http/2 100" : "http/1.1 100 continue"));
  EXPECT_EQ(reply.body.size(), body.size() + std::string("POST /echo user= x= body=").size());
}

TEST_F(HttpServer1Test, ServesPipelinedRequestsInOrderAndOldClients) {
  Listen();
  const std::string two =
      Talk(Dial(),
           "GET /echo?1 HTTP/1.1\r\nHost: localhost\r\n\r\n"
           "GET /echo?2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_LT(two.find("/echo?1"), two.find("/echo?2"));
  EXPECT_NE(two.find("/echo?2"), std::string::npos);
  EXPECT_THAT(Talk(Dial(), "GET /ticks HTTP/1.0\r\n\r\n"),
              ::testing::EndsWith("\r\n\r\ntick 1\ntick 2\ntick 3\ntick 4\ntick 5\n"));
  EXPECT_THAT(Talk(Dial(), "nonsense\r\n\r\n"), HasSubstr("HTTP/1.1 400 Bad Request\r\n"));
  const std::string head =
      Talk(Dial(), "HEAD /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(head, ::testing::EndsWith("\r\n\r\n"));
  EXPECT_THAT(head, HasSubstr("Content-Length: "));
}

TEST_F(HttpServer1Test, HalfOpenClientsAreDropped) {
  Listen({.header_timeout = milliseconds(50), .idle_timeout = milliseconds(50)});
  const int silent = Dial();
  const int half = Dial();
  ::send(half, "GET /ec", 7, MSG_NOSIGNAL);
  char byte = 0;
  EXPECT_EQ(::recv(silent, &byte, 1, 0), 0);
  EXPECT_EQ(::recv(half, &byte, 1, 0), 0);
  ::close(silent);
  ::close(half);
}

TEST_F(HttpServer1Test, RefusesConnectionsBeyondTheLimit) {
  Listen({.max_connections = 1});
  const int first = Dial();
  EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_open == 1; }));
  const int second = Dial();
  char byte = 0;
  EXPECT_LE(::recv(second, &byte, 1, 0), 0);
  ::close(second);
  ::close(first);
}

TEST_P(HttpServerTest, ATokenLetsIn) {
  Listen({.bearer_token = "s3cret"});
  EXPECT_EQ(Client().Get(server_->url() + "/echo").status, 401);
  EXPECT_EQ(Client().Get(server_->url() + "/version").status, 200);
  EXPECT_EQ(Client().Get(server_->url() + "/versions").status, 401);
  EXPECT_EQ(Client().Header("Authorization: Bearer wrong!").Get(server_->url() + "/version").status,
            401);
  EXPECT_THAT(Client().Header("Authorization: Bearer s3cret").Get(server_->url() + "/echo").body,
              HasSubstr("user=kubernetes-admin"));
  EXPECT_THAT(server_->Kubeconfig(), HasSubstr("token: 's3cret'"));
}

// Decodes the base64 of a field of the kubeconfig.
std::string Decoded(const std::string& config, const std::string& field) {
  const std::size_t at = config.find(field + ": ");
  EXPECT_NE(at, std::string::npos) << field;
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (std::size_t i = at + field.size() + 2; i < config.size() && config[i] != '\n'; ++i) {
    const std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t value = alphabet.find(config[i]);
    if (value == std::string_view::npos) break;
    bits = (bits << 6) | static_cast<unsigned>(value);
    if ((count += 6) >= 8) {
      count -= 8;
      out.push_back(static_cast<char>((bits >> count) & 0xff));
    }
  }
  return out;
}

TEST_P(HttpServerTlsTest, TlsWithItsOwnAuthority) {
  Listen({.tls = true, .require_client_certificate = true});
  EXPECT_THAT(server_->url(), ::testing::StartsWith("https://127.0.0.1:"));
  EXPECT_NE(Curl(protocol_, {}).Get(server_->url() + "/echo").code, CURLE_OK)
      << "unknown authority";
  Curl anonymous = Client();
  EXPECT_EQ(anonymous.Get(server_->url() + "/echo").status, 401);
  EXPECT_EQ(anonymous.Get(server_->url() + "/livez/ping").status, 200);

  const std::string config = server_->Kubeconfig();
  EXPECT_EQ(Decoded(config, "certificate-authority-data"), server_->ca_pem());
  Curl known = Client();
  known.Blob(CURLOPT_SSLCERT_BLOB, Decoded(config, "client-certificate-data"))
      .Blob(CURLOPT_SSLKEY_BLOB, Decoded(config, "client-key-data"))
      .Set(CURLOPT_ACCEPT_ENCODING, "gzip");
  EXPECT_THAT(known.Get(server_->url() + "/echo").body, HasSubstr("user=kubernetes-admin"));
  EXPECT_TRUE(known.Get(server_->url() + "/big?size=1000000").body == Repeated(1000000));
  EXPECT_EQ(known.Get(server_->url() + "/ticks?watch=1").body.size(), 35U);
}

// As Go's servers do; see AsForTls in the client.
TEST_P(HttpServerTlsTest, PlainHttp_IsToldThatThisIsTls) {
  Listen({.tls = true});
  const std::string url = "http" + server_->url().substr(5);
  const Reply reply = Curl(Protocol::kHttp1, {}).Get(url + "/echo");
  EXPECT_EQ(reply.code, CURLE_OK);
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.body, "Client sent an HTTP request to an HTTPS server.\n");
}

TEST_P(HttpServerTlsTest, ACertificateOfAnotherAuthorityIsRefused) {
  Listen({.tls = true});
  auto other = internal::x509::TlsAuthority::Make("other", runtime_.env().WallNow()).OrExit();
  const auto cert = other.ClientCertificate("mallory", {}).OrExit();
  Curl curl = Client();
  curl.Blob(CURLOPT_SSLCERT_BLOB, cert.cert_pem).Blob(CURLOPT_SSLKEY_BLOB, cert.key_pem);
  EXPECT_NE(curl.Get(server_->url() + "/echo").code, CURLE_OK);
}

TEST_F(HttpServer1Test, WritesAKubeconfigForItsOwnerOnly) {
  Listen({.bearer_token = "it's"});
  const std::string path = ::testing::TempDir() + "kinformer_http_" + std::to_string(::getpid());
  server_->WriteKubeconfig(path).OrExit();
  struct stat info{};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), server_->Kubeconfig());
  EXPECT_THAT(text.str(), HasSubstr("server: '" + server_->url() + "'"));
  EXPECT_THAT(text.str(), HasSubstr("token: 'it''s'"));
  ::unlink(path.c_str());
  EXPECT_THAT(server_->WriteKubeconfig("/nowhere/at/all").error().message(),
              HasSubstr("/nowhere/at/all"));
}

TEST_F(HttpServer1Test, DestructionEndsWhatIsUnderWay) {
  Listen();
  std::vector<int> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(Dial());
    const std::string request = std::string("GET ") + (i % 2 == 0 ? "/silent" : "/endless") +
                                " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    ::send(clients.back(), request.data(), request.size(), MSG_NOSIGNAL);
  }
  EXPECT_TRUE(Eventually([&] { return handler_.alive == 20; }));
  server_.reset();
  EXPECT_EQ(handler_.alive, 0);
  for (const int fd : clients) ::close(fd);
}

TEST_F(HttpServer1Test, SaysWhyItCannotListen) {
  Listen();
  Env& env = runtime_.env();
  const auto taken = HttpServer::Listen(env, handler_, {.port = server_->port()});
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(taken.error().reason(), Reason::kTransport);
  EXPECT_THAT(taken.error().message(), HasSubstr(std::to_string(server_->port())));
  EXPECT_EQ(HttpServer::Listen(env, handler_, {.address = "localhost"}).error().reason(),
            Reason::kConfig);
  EXPECT_EQ(HttpServer::Listen(env, handler_, {.tls = true, .cert_pem = "x", .key_pem = "y"})
                .error()
                .reason(),
            Reason::kConfig);
  Simulation sim;
  EXPECT_EQ(HttpServer::Listen(sim.env(), handler_).error().reason(), Reason::kInvalidArgument);
}

// A watch-list is compressed on request. Each flush is a gzip member of its own, which can be read
// at once.
TEST_P(HttpServerTest, AWatchListIsCompressedInMembers_SRV15) {
  Listen();
  Curl curl = Client();
  curl.Header("Accept-Encoding: gzip").Set(CURLOPT_HTTP_CONTENT_DECODING, 0L);
  const std::string url =
      server_->url() + "/ticks?watch=true&allowWatchBookmarks=true&sendInitialEvents=true";
  const Reply reply = curl.Get(url);
  EXPECT_THAT(reply.headers, HasSubstr("content-encoding: gzip"));
  std::vector<std::string> members;
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string packed = reply.body;
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  while (stream.avail_in > 0) {
    char text[256];
    stream.next_out = reinterpret_cast<Bytef*>(text);
    stream.avail_out = sizeof text;
    ASSERT_EQ(inflate(&stream, Z_NO_FLUSH), Z_STREAM_END);
    members.emplace_back(text, sizeof text - stream.avail_out);
    inflateReset(&stream);
  }
  inflateEnd(&stream);
  EXPECT_THAT(members, ::testing::ElementsAre("tick 1\n", "tick 2\n", "tick 3\n", "tick 4\n",
                                              "tick 5\n", ""));
  // A client that does not accept gzip gets it uncompressed.
  EXPECT_EQ(Client().Get(url).body.size(), 35U);
}

TEST_P(HttpServerTest, AsksClientsToLeaveAfterSoManyRequests) {
  Listen({.max_requests_per_connection = 2});
  Curl curl = Client();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(curl.Get(server_->url() + "/echo").status, 200);
  EXPECT_EQ(server_->Stats().connections_accepted, 2U);
}

TEST_P(HttpServerTest, GoAway_ClosesConnectionsAndClientsReconnect_F23) {
  Listen();
  Curl curl = Client();
  EXPECT_EQ(curl.Get(server_->url() + "/echo").status, 200);
  server_->GoAway();
  EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_open == 0; }));
  EXPECT_EQ(curl.Get(server_->url() + "/goaway").body, "so be it");
  EXPECT_EQ(curl.Get(server_->url() + "/echo").status, 200);
  EXPECT_EQ(server_->Stats().connections_accepted, 3U);
}

TEST_P(HttpServerTest, GoAwayDuringAResponseEndsTheConnectionBehindIt) {
  Listen();
  Curl curl = Client();
  std::string body;
  std::thread client([&] { body = curl.Get(server_->url() + "/ticks?watch=1").body; });
  EXPECT_TRUE(Eventually([&] { return handler_.alive == 1; }));
  server_->GoAway();
  client.join();
  EXPECT_EQ(body.size(), 35U);
  EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_open == 0; }))
      << "though the client keeps it";
}

TEST_P(HttpServerTest, ShutdownFinishesWhatIsUnderWay) {
  Listen();
  std::string body;
  std::thread client([&] { body = Client().Get(server_->url() + "/ticks?watch=1").body; });
  EXPECT_TRUE(Eventually([&] { return handler_.alive == 1; }));
  server_->Shutdown(seconds(20));
  client.join();
  EXPECT_EQ(body.size(), 35U);
  EXPECT_EQ(server_->Stats().connections_open, 0U);
  EXPECT_NE(Client().Get(server_->url() + "/echo").code, CURLE_OK) << "nobody listens any more";
}

TEST_P(HttpServerTest, ABrokenConnectionDoesNotLookComplete) {
  Listen();
  const Reply reply = Client().Get(server_->url() + "/break");
  EXPECT_NE(reply.code, CURLE_OK);
  EXPECT_LE(reply.body.size(), 100000U);
  EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_open == 0; }));
}

TEST_P(HttpServerTest, AStalledConnectionStaysOpenAndSilent) {
  Listen({.idle_timeout = milliseconds(50), .write_timeout = milliseconds(50)});
  Curl curl = Client();
  curl.Set(CURLOPT_TIMEOUT_MS, 500L);
  EXPECT_EQ(curl.Get(server_->url() + "/stall", /*timeout=*/0).code, CURLE_OPERATION_TIMEDOUT);
}

const auto kName = [](const ::testing::TestParamInfo<Protocol>& info) {
  switch (info.param) {
    case Protocol::kHttp1:
      return "Http1";
    case Protocol::kHttp1Tls:
      return "Http1Tls";
    case Protocol::kHttp2Tls:
      break;
  }
  return "Http2Tls";
};
INSTANTIATE_TEST_SUITE_P(Protocols, HttpServerTest,
                         ::testing::Values(Protocol::kHttp1, Protocol::kHttp1Tls,
                                           Protocol::kHttp2Tls),
                         kName);
INSTANTIATE_TEST_SUITE_P(Protocols, HttpServerTlsTest,
                         ::testing::Values(Protocol::kHttp1Tls, Protocol::kHttp2Tls), kName);

}  // namespace
}  // namespace kinformer::apiserver
