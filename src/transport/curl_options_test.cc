// The libcurl transport's options: those that are refused, its description, and what a request
// costs.

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/http_transport.h"

#include "transport/curl_fixture_for_test.h"
#include "transport/loopback_server_for_test.h"

namespace kinformer {
namespace {

using internal::transport::CurlTransportTest;
using internal::transport::Echo;
using internal::transport::Hold;
using internal::transport::LoopbackServer;
using internal::transport::PlainResponse;
using internal::transport::TestExchange;
using std::chrono::milliseconds;

TEST_F(CurlTransportTest, RefusedOption_IsNamed) {
  struct Row {
    HttpTransportOptions options;
    std::string error;
  };
  const std::vector<Row> rows = {
      {{.base_url = "ftp://h"}, "\"ftp://h\""},
      {{.base_url = "https://h", .proxy_url = "ftp://proxy"}, "proxy"},
      {{.base_url = "http://h", .proxy_url = "http://proxy:99999"}, "proxy"},
      {{.base_url = "https://h", .tls = {.server_name = "a b"}}, "tls-server-name"},
      {{.base_url = "http://h", .tls = {.server_name = "a:1"}}, "tls-server-name"},
      {{.base_url = "https://h", .tls = {.ca_pem = "x"}}, "no PEM certificate"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.error);
    const auto made = NewHttpTransport(runtime_.env(), row.options);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error().reason(), Reason::kConfig);
    EXPECT_NE(made.error().message().find(row.error), std::string::npos) << made.error();
  }
}

// Without TLS, its files are not read.
TEST_F(CurlTransportTest, PlainHttp_ReadsNoCertificates) {
  const auto made =
      NewHttpTransport(runtime_.env(), {.base_url = "http://h", .tls = {.ca_file = "/no/such"}});
  EXPECT_TRUE(made.ok());
}

TEST_F(CurlTransportTest, SimulatedTime_HasNoSockets) {
  Simulation sim;
  const auto made = NewHttpTransport(sim.env(), {.base_url = "http://h"});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().reason(), Reason::kInvalidArgument);
  EXPECT_EQ(made.error().message(),
            "an HTTP transport needs a real Env (Runtime): simulated time has no sockets");
}

TEST_F(CurlTransportTest, Description_IsTheUrlOfTheServer) {
  struct Row {
    const char* url;
    const char* described;
  };
  for (const Row& row : std::vector<Row>{{"http://h:8080/a/b/", "http://h:8080/a/b"},
                                         {"https://h:6443", "https://h:6443"},
                                         {"https://h:6443/", "https://h:6443"},
                                         {"https://[::1]:1/p", "https://[::1]:1/p"}}) {
    Make({.base_url = row.url});
    EXPECT_EQ(transport_->Describe(), row.described);
  }
}

// Nobody reads the answer any more, and over HTTP/1.1 nothing else can use its connection.
TEST_F(CurlTransportTest, RequestThatIsTooLate_ClosesItsConnection) {
  LoopbackServer server(Hold);
  Make(server);
  TestExchange& late = Start({.target = "/watch", .timeout = milliseconds(50)});
  ASSERT_TRUE(late.WaitDone());
  EXPECT_EQ(late.error().message(), server.url() + "/watch: no complete response in time");
  const TransportStats after = Stats();
  EXPECT_EQ(after.requests, 1U);
  EXPECT_EQ(after.connections_opened, 1U);
  EXPECT_EQ(after.connections_open, 0U);
}

TEST_F(CurlTransportTest, Stats_CountRequestsConnectionsAndBytes) {
  LoopbackServer server(Echo);
  Make(server);
  EXPECT_EQ(Stats().requests, 0U);
  EXPECT_EQ(Stats().connections_opened, 0U);
  EXPECT_EQ(Stats().connections_open, 0U);
  EXPECT_EQ(Stats().bytes_received, 0U);
  const std::string text = "GET /x|";
  for (std::size_t i = 1; i <= 3; ++i) {
    ASSERT_EQ(Get("/x").text(), text);
    EXPECT_EQ(Stats().requests, i);
    EXPECT_EQ(Stats().connections_opened, 1U);
    EXPECT_EQ(Stats().connections_open, 1U);
    EXPECT_EQ(Stats().bytes_received, i * PlainResponse(text).size()) << "with the heads";
  }
}

}  // namespace
}  // namespace kinformer
