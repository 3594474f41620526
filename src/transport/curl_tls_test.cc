// The libcurl transport over TLS: trusted servers, client certificates, changed files.

#include <chrono>
#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "kinformer/client/http_transport.h"

#include "transport/curl_fixture_for_test.h"

namespace kinformer {
namespace {

using internal::transport::CurlTransportTest;
using internal::transport::Echo;
using internal::transport::LoopbackServer;
using internal::transport::MakeSpecialCertificate;
using internal::transport::MakeTestCa;
using internal::transport::MakeTestCertificate;
using internal::transport::PlainResponse;
using internal::transport::TestCertificate;
using internal::transport::TestExchange;
using std::chrono::milliseconds;
using testing::HasSubstr;

using Peer = LoopbackServer::Peer;
using Request = LoopbackServer::Request;

class CurlTlsTest : public CurlTransportTest {
 protected:
  std::string Https(const LoopbackServer& server, const std::string& host = "127.0.0.1") {
    return "https://" + host + ":" + std::to_string(server.port());
  }
  TestCertificate ca_ = MakeTestCa("test ca");
  TestCertificate cert_ = MakeTestCertificate(ca_, "127.0.0.1");
};

TEST_F(CurlTlsTest, TrustsTheGivenCaOnly) {
  LoopbackServer server(Echo, {.certificate = &cert_});
  Make({.base_url = server.url(), .tls = {.ca_pem = ca_.cert}});
  TestExchange& good = Get("/x");
  EXPECT_TRUE(good.ok()) << good.error();
  EXPECT_EQ(good.text(), "GET /x|");

  Make({.base_url = server.url(), .tls = {.ca_pem = MakeTestCa("other ca").cert}});
  TestExchange& bad = Get("/x");
  EXPECT_EQ(bad.error().reason(), Reason::kTransport);
  EXPECT_THAT(bad.error().message(), HasSubstr("certificate-authority"));
  EXPECT_THAT(bad.error().message(), HasSubstr("--insecure-skip-tls-verify"));

  Make({.base_url = server.url(), .tls = {.insecure_skip_verify = true}});
  EXPECT_TRUE(Get("/x").ok());
}

// For example a long selector, or a token with many claims.
TEST_F(CurlTlsTest, LongHeadsGoOutWhole) {
  LoopbackServer server(
      [](const Request& request, Peer& peer) {
        return peer.Write(PlainResponse(std::to_string(request.target.size()) + " " +
                                        std::to_string(request.Header("x-long").size())));
      },
      {.certificate = &cert_});
  Make({.base_url = server.url(), .tls = {.ca_pem = ca_.cert}});
  for (const std::size_t size : {10'000U, 17'000U, 40'000U, 70'000U, 200'000U}) {
    SCOPED_TRACE(size);
    HttpRequest request{.target = "/" + std::string(size, 't')};
    request.headers.Add("X-Long", std::string(size, 'h'));
    TestExchange& answer = Start(std::move(request));
    ASSERT_TRUE(answer.WaitDone(std::chrono::seconds(5)));
    EXPECT_EQ(answer.text(), std::to_string(size + 1) + " " + std::to_string(size));
  }
}

TEST_F(CurlTlsTest, NamesAndDatesAreChecked) {
  const TestCertificate named = MakeTestCertificate(ca_, "kube.example");
  LoopbackServer server(
      [](const Request& request, Peer& peer) {
        return peer.Write(PlainResponse(request.Header("host")));
      },
      {.certificate = &named});
  Make({.base_url = Https(server), .tls = {.ca_pem = ca_.cert}});
  EXPECT_THAT(Get("/x").error().message(), HasSubstr("tls-server-name"));

  Make({.base_url = Https(server), .tls = {.server_name = "kube.example", .ca_pem = ca_.cert}});
  TestExchange& renamed = Get("/x");
  EXPECT_TRUE(renamed.ok()) << renamed.error();
  EXPECT_EQ(renamed.text(), "127.0.0.1:" + std::to_string(server.port()));

  const TestCertificate old = MakeTestCertificate(ca_, "127.0.0.1", -1);
  LoopbackServer expired(Echo, {.certificate = &old});
  Make({.base_url = expired.url(), .tls = {.ca_pem = ca_.cert}});
  EXPECT_THAT(Get("/x").error().message(), HasSubstr("expired"));
}

// Go and browsers ignore the Common Name.
TEST_F(CurlTlsTest, ACommonNameAloneIsRefused) {
  for (const char* alternatives : {"", "email:root@127.0.0.1"}) {
    const TestCertificate old = MakeSpecialCertificate(ca_, "127.0.0.1", alternatives);
    LoopbackServer server(Echo, {.certificate = &old});
    Make({.base_url = server.url(), .tls = {.ca_pem = ca_.cert}});
    TestExchange& got = Get("/x");
    EXPECT_EQ(got.error().reason(), Reason::kTransport);
    EXPECT_THAT(got.error().message(), HasSubstr("subjectAltName"));
    EXPECT_THAT(got.error().message(), HasSubstr(server.url()));
    Make({.base_url = server.url(), .tls = {.insecure_skip_verify = true}});
    EXPECT_TRUE(Get("/x").ok());
  }
}

TEST_F(CurlTlsTest, ServersThatCannotAgreeOnTls_SayWhatToChange) {
  LoopbackServer old(Echo, {.certificate = &cert_, .last_tls = TLS1_1_VERSION});
  Make({.base_url = old.url(), .tls = {.ca_pem = ca_.cert}});
  const Error too_old = Get("/x").error();
  EXPECT_EQ(too_old.reason(), Reason::kTransport);
  EXPECT_THAT(too_old.message(), HasSubstr("the server offers no version of TLS from 1.2 on"));
  LoopbackServer other(Echo, {.certificate = &cert_, .refuses_alpn = true});
  Make({.base_url = other.url(), .tls = {.ca_pem = ca_.cert}});
  EXPECT_THAT(Get("/x").error().message(), HasSubstr("refuses h2 and http/1.1 (ALPN)"));
  LoopbackServer silent(Echo, {.certificate = &cert_});
  Make({.base_url = silent.url(), .tls = {.ca_pem = ca_.cert}});
  EXPECT_EQ(Get("/x").text(), "GET /x|") << "without ALPN it is HTTP/1.1";
}

// A server must not use a client's certificate.
TEST_F(CurlTlsTest, ACertificateOfAClientIsNoServers) {
  const TestCertificate client =
      MakeSpecialCertificate(ca_, "127.0.0.1", "IP:127.0.0.1", "clientAuth");
  LoopbackServer server(Echo, {.certificate = &client});
  Make({.base_url = server.url(), .tls = {.ca_pem = ca_.cert}});
  EXPECT_EQ(Get("/x").error().reason(), Reason::kTransport);
}

// A certificate may be for an IP address.
TEST_F(CurlTlsTest, ServerNamesMayBeAddresses) {
  const TestCertificate six = MakeSpecialCertificate(ca_, "six", "IP:::1");
  LoopbackServer server(Echo, {.certificate = &six});
  for (const char* name : {"::1", "[::1]", "0:0:0:0:0:0:0:1"}) {
    Make({.base_url = Https(server), .tls = {.server_name = name, .ca_pem = ca_.cert}});
    TestExchange& got = Get("/x");
    EXPECT_TRUE(got.ok()) << name << ": " << got.error();
  }
  Make({.base_url = Https(server), .tls = {.server_name = "::2", .ca_pem = ca_.cert}});
  EXPECT_FALSE(Get("/x").ok());
  const auto bad = NewHttpTransport(
      runtime_.env(),
      {.base_url = Https(server), .tls = {.server_name = "kube:6443", .ca_pem = ca_.cert}});
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.error().message(), HasSubstr("tls-server-name"));
}

// libcurl would write this connection's secrets to the file.
TEST_F(CurlTlsTest, KeysAreNotLogged) {
  const std::string path = testing::TempDir() + "kinformer-keylog-" + std::to_string(getpid());
  setenv("SSLKEYLOGFILE", path.c_str(), 1);
  LoopbackServer server(Echo, {.certificate = &cert_});
  Make({.base_url = server.url(), .tls = {.ca_pem = ca_.cert}});
  EXPECT_TRUE(Get("/x").ok());
  unsetenv("SSLKEYLOGFILE");
  std::ifstream in(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "");
  std::remove(path.c_str());
}

TEST_F(CurlTlsTest, ClientCertificatesAreShownAndTheirLackIsNamed) {
  const TestCertificate client = MakeTestCertificate(ca_, "client");
  LoopbackServer server(Echo, {.certificate = &cert_, .client_ca = ca_.cert});
  Make({.base_url = server.url(),
        .tls = {.ca_pem = ca_.cert, .cert_pem = client.cert, .key_pem = client.key}});
  TestExchange& good = Get("/x");
  EXPECT_TRUE(good.ok()) << good.error();

  Make({.base_url = server.url(), .tls = {.ca_pem = ca_.cert}});
  TestExchange& bad = Get("/x");
  EXPECT_EQ(bad.error().reason(), Reason::kTransport);
  EXPECT_THAT(bad.error().message(), HasSubstr("client-certificate"));
}

TEST_F(CurlTlsTest, AChangedCaFileIsUsed) {
  const std::string path = testing::TempDir() + "kinformer-ca-" + std::to_string(getpid());
  std::ofstream(path) << MakeTestCa("wrong").cert;
  LoopbackServer server(Echo, {.certificate = &cert_});
  Make({.base_url = server.url(), .tls = {.ca_file = path}, .reload_period = milliseconds(0)});
  EXPECT_FALSE(Get("/x").ok());
  std::ofstream(path) << ca_.cert;
  bool good = false;
  for (int i = 0; i < 100 && !good; ++i) good = Get("/x").ok();
  EXPECT_TRUE(good);
  std::ofstream(path) << "garbage";
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(Get("/x").ok()) << "what cannot be read changes nothing";
  std::remove(path.c_str());
}

// The wrong scheme, as in an address that was copied without it.
TEST_F(CurlTlsTest, HttpToATlsServer_SaysTheUrlToWrite) {
  LoopbackServer server(Echo, {.certificate = &cert_});
  const std::string address = "127.0.0.1:" + std::to_string(server.port());
  Make({.base_url = "http://" + address});
  const Error error = Get("/x").error();
  EXPECT_EQ(error.reason(), Reason::kTransport);
  EXPECT_THAT(error.message(), HasSubstr("http://" + address + ": "));
  EXPECT_THAT(error.message(),
              HasSubstr("If the server speaks TLS, its URL is https://" + address));
}

// A server that gives the same answer to any request.
class PlainAnswer {
 public:
  explicit PlainAnswer(std::string answer)
      : answer_(std::move(answer)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_, any, size), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    EXPECT_EQ(getsockname(listener_, any, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~PlainAnswer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  PlainAnswer(const PlainAnswer&) = delete;
  PlainAnswer& operator=(const PlainAnswer&) = delete;
  [[nodiscard]] int port() const { return port_; }

 private:
  void Serve() const {
    while (true) {
      const int peer = accept(listener_, nullptr, nullptr);
      if (peer < 0) return;
      char asked[4096];
      if (recv(peer, asked, sizeof(asked), 0) > 0) {
        (void)send(peer, answer_.data(), answer_.size(), MSG_NOSIGNAL);
      }
      close(peer);
    }
  }
  const std::string answer_;
  const int listener_;
  int port_ = 0;
  std::thread thread_;
};

TEST_F(CurlTlsTest, TlsToAPlainServer_SaysTheUrlToWrite) {
  const PlainAnswer server("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
  const std::string address = "127.0.0.1:" + std::to_string(server.port());
  Make({.base_url = "https://" + address, .tls = {.ca_pem = ca_.cert}});
  const Error error = Get("/x").error();
  EXPECT_EQ(error.reason(), Reason::kTransport);
  EXPECT_THAT(error.message(), HasSubstr("https://" + address + ": the server does not speak TLS"));
  EXPECT_THAT(error.message(), HasSubstr("its URL is http://" + address + " ("));
}

TEST_F(CurlTlsTest, AnAlertInPlaceOfHttp_SaysTheUrlToWrite) {
  const PlainAnswer server("\x15\x03\x01\x02\x02\x46");
  const std::string address = "127.0.0.1:" + std::to_string(server.port());
  Make({.base_url = "http://" + address});
  const Error error = Get("/x").error();
  EXPECT_EQ(error.reason(), Reason::kTransport);
  EXPECT_THAT(error.message(), HasSubstr("http://" + address + ": the answer is not HTTP"));
  EXPECT_THAT(error.message(), HasSubstr("its URL is https://" + address));
}

struct TlsOptionsCase {
  const char* name;
  TlsOptions tls;
  const char* want;
};

TEST_F(CurlTlsTest, BadOptionsAreNamed_TR04) {
  const TestCertificate other = MakeTestCertificate(ca_, "other");
  const TlsOptionsCase cases[] = {
      {"missing CA",
       {.ca_file = "/nonexistent/ca.crt"},
       "certificate-authority /nonexistent/ca.crt"},
      {"garbage CA", {.ca_pem = "hello"}, "no PEM certificate"},
      {"CA and insecure", {.insecure_skip_verify = true, .ca_pem = ca_.cert}, "exclude each other"},
      {"half a pair", {.cert_pem = cert_.cert}, "without client-key"},
      {"other half", {.key_pem = cert_.key}, "without client-certificate"},
      {"bad key", {.cert_pem = cert_.cert, .key_pem = "x"}, "not a PEM private key"},
      {"other's key", {.cert_pem = cert_.cert, .key_pem = other.key}, "not the certificate's"},
      {"missing cert",
       {.cert_file = "/nonexistent/c", .key_pem = cert_.key},
       "client-certificate /nonexistent/c"},
  };
  for (const auto& c : cases) {
    auto made = NewHttpTransport(runtime_.env(), {.base_url = "https://h", .tls = c.tls});
    ASSERT_FALSE(made.ok()) << c.name;
    EXPECT_EQ(made.error().reason(), Reason::kConfig) << c.name;
    EXPECT_THAT(made.error().message(), HasSubstr(c.want)) << c.name;
  }
  for (const char* url : {"", "ftp://host", "https://", "https://host:99999", "http://a b"}) {
    auto made = NewHttpTransport(runtime_.env(), {.base_url = url});
    ASSERT_FALSE(made.ok()) << url;
    EXPECT_EQ(made.error().reason(), Reason::kConfig) << url;
  }
}

}  // namespace
}  // namespace kinformer
