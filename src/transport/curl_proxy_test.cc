// The libcurl transport through proxies.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/client/http_transport.h"

#include "transport/curl_fixture_for_test.h"
#include "transport/proxy_server_for_test.h"

namespace kinformer::internal::transport {
namespace {

using testing::Each;
using testing::HasSubstr;

class CurlProxy : public CurlTransportTest {
 protected:
  // Nobody but the proxy can find the server by its name.
  void Through(const std::string& proxy) {
    Make(
        {.base_url = "https://kube.example:6443", .tls = {.ca_pem = ca_.cert}, .proxy_url = proxy});
  }
  // A watch and a request, each over a tunnel of its own.
  void ExpectBoth() {
    TestExchange& watch = Start({.target = "/watch", .pool = ConnectionPool::kWatch});
    EXPECT_TRUE(watch.WaitText("first ")) << watch.error();
    TestExchange& got = Get("/x");
    EXPECT_TRUE(got.ok()) << got.error();
    EXPECT_EQ(got.text(), "GET /x|");
    EXPECT_EQ(server_.connections(), 2);
  }

  const TestCertificate ca_ = MakeTestCa("test ca");
  const TestCertificate cert_ = MakeTestCertificate(ca_, "kube.example");
  const TestCertificate proxy_cert_ = MakeTestCertificate(ca_, "127.0.0.1");
  LoopbackServer server_{Hold, {.certificate = &cert_}};
};

TEST_F(CurlProxy, ConnectLeadsToTheServer) {
  const ProxyServer proxy({.target = server_.port()});
  Through("http://" + proxy.address());
  ExpectBoth();
  EXPECT_THAT(proxy.asked(), Each("CONNECT kube.example:6443"));
}

TEST_F(CurlProxy, ConnectWithNameAndPassword) {
  const ProxyServer proxy({.target = server_.port(), .user = "jo:pass word"});
  Through("http://jo:pass%20word@" + proxy.address());
  ExpectBoth();
  for (const std::string login : {"", "jo:SECRET@"}) {
    Through("http://" + login + proxy.address());
    const Error error = Get("/x").error();
    EXPECT_EQ(error.reason(), Reason::kTransport);
    EXPECT_THAT(error.message(), HasSubstr("the proxy refuses our name and password"));
    EXPECT_THAT(error.message(), testing::Not(HasSubstr("SECRET")));
  }
}

TEST_F(CurlProxy, ProxyThatSpeaksTls_IsTrustedByTheServersCa) {
  const ProxyServer proxy({.target = server_.port(), .certificate = &proxy_cert_});
  Through("https://" + proxy.address());
  ExpectBoth();
  EXPECT_THAT(proxy.asked(), Each("CONNECT kube.example:6443"));
  const TestCertificate other = MakeTestCertificate(MakeTestCa("other"), "127.0.0.1");
  const ProxyServer untrusted({.target = server_.port(), .certificate = &other});
  Through("https://" + untrusted.address());
  EXPECT_EQ(Get("/x").error().reason(), Reason::kTransport);
  EXPECT_TRUE(untrusted.asked().empty());
}

TEST_F(CurlProxy, Socks5LeadsToTheServer) {
  const ProxyServer proxy({.target = server_.port()});
  Through("socks5://" + proxy.address());
  ExpectBoth();
  EXPECT_THAT(proxy.asked(), Each("SOCKS5 kube.example:6443")) << "the proxy looks the name up";
}

TEST_F(CurlProxy, Socks5WithNameAndPassword) {
  const ProxyServer proxy({.target = server_.port(), .user = "jo:p"});
  Through("socks5://jo:p@" + proxy.address());
  ExpectBoth();
  Through("socks5://jo:SECRET@" + proxy.address());
  const Error error = Get("/x").error();
  EXPECT_THAT(error.message(), HasSubstr("the proxy refuses our name and password"));
  EXPECT_THAT(error.message(), testing::Not(HasSubstr("SECRET")));
}

TEST_F(CurlProxy, ProxyThatIsDown_IsNamedAsTheReason) {
  std::string address;
  {
    const ProxyServer proxy({.target = server_.port()});
    address = proxy.address();
  }
  for (const char* scheme : {"http://", "socks5://"}) {
    Through(scheme + address);
    const Error error = Get("/x").error();
    EXPECT_EQ(error.reason(), Reason::kTransport);
    EXPECT_THAT(error.message(), HasSubstr("no way through the proxy"));
  }
}

}  // namespace
}  // namespace kinformer::internal::transport
