// Servers with TLS in simulated time: handshakes, their deadline, protocols, limits of streams, and
// replaced certificates.

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>

#include "http/connection_scene_for_test.h"
#include "http/http2_frames_for_test.h"
#include "http/server.h"
#include "http/tls_client_for_test.h"

namespace kinformer::internal::http {
namespace {

using State = ResponseStream::State;
using std::chrono::seconds;

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

class TlsServerTest : public ::testing::Test {
 protected:
  TlsServerTest() {
    base::GiveSockets(sim_.env(), io_);
    server_ = Server::Listen(sim_.env(), handler_, {}, std::make_shared<ScriptPolicy>(),
                             TlsForTest::Shared().Context())
                  .OrExit();
  }
  ~TlsServerTest() override {
    server_.reset();
    Settle(sim_);
  }

  std::unique_ptr<TlsClient> Connect(const std::string& protocol = {}, int send_buffer = 0) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    if (send_buffer > 0) {
      ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer);
    }
    server_->Adopt(ends[0]);
    Settle(sim_);
    TlsClient::Options options;
    if (!protocol.empty()) options.protocols = {protocol};
    return std::make_unique<TlsClient>(ends[1], options);
  }
  std::unique_ptr<TlsClient> Greet(const std::string& protocol = {}) {
    auto client = Connect(protocol);
    Shake(*client);
    return client;
  }
  void Shake(TlsClient& client) {
    for (int i = 0; i < 1000 && SSL_is_init_finished(client.ssl()) == 0; ++i) {
      client.Shake();
      Settle(sim_);
    }
    EXPECT_EQ(SSL_is_init_finished(client.ssl()), 1);
  }
  std::string Exchange(TlsClient& client, std::string_view text) {
    client.Write(text);
    Settle(sim_);
    return client.Read();
  }
  std::uint64_t open() { return server_->Stats().connections_open; }
  // Whether the last connection is closed after exactly `time`.
  bool ClosesAfter(Duration time) {
    sim_.RunFor(time - Duration(1));
    if (open() != 1) return false;
    sim_.RunFor(Duration(1));
    return open() == 0;
  }

  boost::asio::io_context io_{1};
  Simulation sim_{};
  ScriptHandler handler_{};
  std::unique_ptr<Server> server_{};
};

TEST_F(TlsServerTest, BothProtocols_AreServedAndCounted) {
  const auto old = Greet();
  EXPECT_NE(Exchange(*old, kGet).find("\r\n\r\nGET / "), std::string::npos);
  EXPECT_EQ(server_->Stats().http2_connections_accepted, 0U);
  const auto one = Greet("http/1.1");
  EXPECT_NE(Exchange(*one, kGet).find("\r\n\r\nGET / "), std::string::npos);
  EXPECT_EQ(server_->Stats().http2_connections_accepted, 0U);
  const auto two = Greet("h2");
  EXPECT_EQ(PayloadsIn(Exchange(*two, Greeting() + Get(1)), kDataFrame, 1),
            std::vector<std::string>{"GET / "});
  const auto stats = server_->Stats();
  EXPECT_EQ(stats.http2_connections_accepted, 1U);
  EXPECT_EQ(stats.connections_accepted, 3U);
  EXPECT_EQ(stats.connections_open, 3U);
  EXPECT_EQ(stats.requests, 3U);
}

TEST_F(TlsServerTest, Handshake_HasTheHeaderTimeout) {
  const auto silent = Connect();
  EXPECT_TRUE(ClosesAfter(seconds(32)));
  EXPECT_TRUE(silent->ended());
  // One that begins does not gain time.
  const auto slow = Connect();
  sim_.RunFor(seconds(20));
  slow->Shake();
  Settle(sim_);
  EXPECT_TRUE(ClosesAfter(seconds(12)));
  // The connection after a handshake has its own timeout.
  const auto late = Connect();
  sim_.RunFor(seconds(20));
  Shake(*late);
  EXPECT_TRUE(ClosesAfter(seconds(32)));
}

TEST_F(TlsServerTest, Garbage_IsClosedAtOnce) {
  const auto client = Connect();
  EXPECT_EQ(::send(client->socket(), "\0\1\2garbage", 10, 0), 10);
  Settle(sim_);
  EXPECT_EQ(open(), 0U);
  const auto plain = Connect();
  EXPECT_EQ(::send(plain->socket(), kGet, 24, 0), 24);
  Settle(sim_);
  EXPECT_EQ(open(), 0U);
  EXPECT_EQ(plain->ReadRaw().substr(0, 25), "HTTP/1.0 400 Bad Request\r");
}

TEST_F(TlsServerTest, HandshakeUnderWay_IsClosedByGoAway) {
  const auto client = Connect();
  EXPECT_EQ(open(), 1U);
  server_->GoAway();
  Settle(sim_);
  EXPECT_EQ(open(), 0U);
}

// The server's messages do not fit into the socket at once.
TEST_F(TlsServerTest, LongCertificate_IsSentInParts) {
  std::vector<std::string> hosts;
  for (int i = 0; i < 3000; ++i) hosts.push_back("host-" + std::to_string(i) + ".example.com");
  const auto pair = TlsForTest::Shared().authority.ServerCertificate(hosts).OrExit();
  server_->SetTls(
      NewTlsContext({.cert_pem = pair.cert_pem, .key_pem = pair.key_pem, .client_ca_pem = {}}, true)
          .OrExit());
  Settle(sim_);
  const auto client = Connect({}, 1);
  Shake(*client);
  EXPECT_NE(Exchange(*client, kGet).find("\r\n\r\nGET / "), std::string::npos);
}

TEST_F(TlsServerTest, ReplacedCertificate_IsForNewConnections) {
  const auto serial = [](TlsClient& client) {
    const CertPtr cert(SSL_get1_peer_certificate(client.ssl()), &X509_free);
    const ASN1_INTEGER* const number = X509_get0_serialNumber(cert.get());
    return std::string(reinterpret_cast<const char*>(ASN1_STRING_get0_data(number)),
                       static_cast<std::size_t>(ASN1_STRING_length(number)));
  };
  const auto before = Greet();
  const auto pair = TlsForTest::Shared().authority.ServerCertificate({"h"}).OrExit();
  server_->SetTls(
      NewTlsContext({.cert_pem = pair.cert_pem, .key_pem = pair.key_pem, .client_ca_pem = {}}, true)
          .OrExit());
  Settle(sim_);
  const auto after = Greet();
  const auto again = Greet();
  EXPECT_NE(serial(*before), serial(*after));
  EXPECT_EQ(serial(*after), serial(*again));
  EXPECT_NE(Exchange(*before, kGet), "");
}

// "id=value;" for each setting of each frame that is no acknowledgement.
std::vector<std::string> SettingsIn(std::string_view bytes) {
  std::vector<std::string> all;
  for (const ReceivedFrame& frame : FramesIn(bytes)) {
    if (frame.type != kSettingsFrame || frame.flags != 0) continue;
    std::string& text = all.emplace_back();
    for (std::size_t i = 0; i + 6 <= frame.payload.size(); i += 6) {
      std::uint32_t value = 0;
      for (const char byte : frame.payload.substr(i + 2, 4)) {
        value = (value << 8U) | static_cast<std::uint8_t>(byte);
      }
      text += std::to_string(frame.payload[i + 1]) + "=" + std::to_string(value) + ";";
    }
  }
  return all;
}

TEST_F(TlsServerTest, MaxStreams_AreToldToAllConnections) {
  const auto before = Greet("h2");
  const auto other = Greet("http/1.1");
  const auto first = SettingsIn(Exchange(*before, Greeting()));
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].substr(0, 6), "3=100;");
  server_->SetMaxStreams(7);
  Settle(sim_);
  EXPECT_EQ(SettingsIn(before->Read()), std::vector<std::string>{"3=7;"});
  EXPECT_NE(Exchange(*other, kGet), "");
  const auto after = Greet("h2");
  const auto second = SettingsIn(Exchange(*after, Greeting()));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].substr(0, 4), "3=7;");
}

}  // namespace
}  // namespace kinformer::internal::http
