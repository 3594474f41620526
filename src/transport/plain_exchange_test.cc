// Single requests to servers that are not the API server.

#include "transport/plain_exchange.h"

#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <stop_token>
#include <string>
#include <thread>

#include "transport/curl_fixture_for_test.h"

namespace kinformer::internal::transport {
namespace {

using Peer = LoopbackServer::Peer;
using Request = LoopbackServer::Request;

class PlainExchange : public ::testing::Test {
 protected:
  Result<PlainAnswer> Get(const LoopbackServer& server, const std::string& path) {
    return ExchangePlainly({.url = server.url() + path, .ca_pem = ca_.cert}, {});
  }

  const TestCertificate ca_ = MakeTestCa("ca");
  const TestCertificate cert_ = MakeTestCertificate(ca_, "127.0.0.1");
};

TEST_F(PlainExchange, GetsAndPostsForms) {
  LoopbackServer server(
      [](const Request& request, Peer& peer) {
        return peer.Write(PlainResponse(request.method + " " + request.target + " " +
                                            request.Header("content-type") + " " +
                                            request.Header("authorization") + " " + request.body,
                                        "", 418));
      },
      {.certificate = &cert_});
  const auto got = Get(server, "/a?b=c");
  ASSERT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got->status, 418);
  EXPECT_EQ(got->body, "GET /a?b=c   ");
  const auto posted = ExchangePlainly(
      {.url = server.url() + "/p", .form = "x=1", .authorization = "Basic y", .ca_pem = ca_.cert},
      {});
  ASSERT_TRUE(posted.ok()) << posted.error();
  EXPECT_EQ(posted->body, "POST /p application/x-www-form-urlencoded Basic y x=1");
}

TEST_F(PlainExchange, RedirectIsFollowedByAGetAndNotByAForm) {
  LoopbackServer server(
      [](const Request& request, Peer& peer) {
        return request.target == "/new" ? Echo(request, peer)
                                        : peer.Write(PlainResponse("", "Location: /new\r\n", 307));
      },
      {.certificate = &cert_});
  EXPECT_EQ(Get(server, "/old").OrExit().body, "GET /new|");
  const auto posted =
      ExchangePlainly({.url = server.url() + "/old", .form = "secret=1", .ca_pem = ca_.cert}, {});
  EXPECT_EQ(posted.OrExit().status, 307);
}

TEST_F(PlainExchange, Failures_NameTheServer) {
  LoopbackServer server(
      [](const Request&, Peer& peer) {
        return peer.Write(PlainResponse(std::string((1 << 20) + 1, 'x')));
      },
      {.certificate = &cert_});
  const auto says = [](const Result<PlainAnswer>& got, Reason reason, const std::string& text) {
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.error().reason(), reason);
    EXPECT_NE(got.error().message().find(text), std::string::npos) << got.error();
  };
  says(Get(server, "/"), Reason::kTransport, server.url() + ": its answer is larger than 1 MiB");
  says(ExchangePlainly({.url = server.url(), .ca_pem = MakeTestCa("other").cert}, {}),
       Reason::kTransport, server.url() + ": its certificate is not accepted: ");
  says(ExchangePlainly({.url = "http://h/x"}, {}), Reason::kConfig, "http://h: secrets are sent");
  says(ExchangePlainly({.url = "h"}, {}), Reason::kConfig, "must look like https://host:port");
}

TEST_F(PlainExchange, ServerThatDoesNotAnswer_IsGivenUp) {
  std::promise<void> asked;
  std::atomic<int> requests{0};
  LoopbackServer server(
      [&](const Request&, Peer& peer) {
        if (++requests == 2) asked.set_value();
        peer.WaitForClose();
        return false;
      },
      {.certificate = &cert_});
  const auto late = ExchangePlainly(
      {.url = server.url(), .ca_pem = ca_.cert, .timeout = std::chrono::milliseconds(200)}, {});
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().reason(), Reason::kTransport);
  EXPECT_NE(late.error().message().find(": no answer in time"), std::string::npos);
  std::jthread other([&](const std::stop_token& stop) {
    const auto stopped = ExchangePlainly({.url = server.url(), .ca_pem = ca_.cert}, stop);
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().reason(), Reason::kStopped);
  });
  asked.get_future().wait();
  other.request_stop();
}

}  // namespace
}  // namespace kinformer::internal::transport
