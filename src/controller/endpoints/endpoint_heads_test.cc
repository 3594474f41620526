// Endpoints on a port read the body only of admitted requests: others are refused at the end of the
// head, over HTTP/1.1 and HTTP/2.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/client/client.h"
#include "kinformer/client/transport.h"
#include "kinformer/endpoints/endpoint_server.h"
#include "kinformer/endpoints/metrics_server.h"

#include "controller/endpoints/testing/access_fixture.h"
#include "http/early_client_for_test.h"

namespace kinformer {
namespace {

using internal::http::AskEarly;

constexpr std::size_t kBody = std::size_t{512} << 10;

enum class Protocol : std::uint8_t { kHttp1, kHttp1Tls, kHttp2 };

class EndpointHeadsTest : public ::testing::TestWithParam<Protocol> {
 protected:
  EndpointHeadsTest() {
    api_server_.fallback = [this](const HttpRequest& request) {
      ++asked_;
      return testing::Review(request);
    };
    client_ = Client::ForTransport(
        runtime_.env(),
        std::shared_ptr<Transport>(NewInMemoryTransport(runtime_.env(), api_server_)),
        {.qps = -1, .prefer_json = true});
    server_ = EndpointServer::Listen(runtime_.env(), "127.0.0.1:0",
                                     {.tls = GetParam() != Protocol::kHttp1})
                  .OrExit();
    server_->Handle("/token",
                    WithBearerToken("right", NewMetricsHandler(runtime_.env(), metrics_)));
    server_->Handle("/metrics",
                    WithAuthenticationAndAuthorization(
                        runtime_.env(), *client_, NewMetricsHandler(runtime_.env(), metrics_)));
  }

  internal::http::Reply Ask(const std::string& path, const std::string& token,
                            std::size_t sent_bytes = 0) {
    std::vector<std::string> headers;
    if (!token.empty()) headers.push_back("Authorization: Bearer " + token);
    internal::http::Reply reply =
        AskEarly({.url = std::string(GetParam() == Protocol::kHttp1 ? "http" : "https") +
                         "://127.0.0.1:" + std::to_string(server_->port()) + path,
                  .http2 = GetParam() == Protocol::kHttp2,
                  .any_certificate = true,
                  .headers = std::move(headers),
                  .body_bytes = kBody,
                  .sent_bytes = sent_bytes});
    EXPECT_EQ(reply.http2, GetParam() == Protocol::kHttp2);
    return reply;
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  std::atomic<int> asked_{0};
  testing::ScriptedServer api_server_;
  Runtime runtime_{{.metrics = metrics_}};
  std::optional<Client> client_;
  std::unique_ptr<EndpointServer> server_;
};

TEST_P(EndpointHeadsTest, AStrangerToMetrics_IsRefusedBeforeTheBody) {
  EXPECT_EQ(Ask("/token", "").status, 401);
  EXPECT_EQ(Ask("/token", "wrong").status, 401);
  EXPECT_EQ(Ask("/metrics", "").status, 401);
  EXPECT_EQ(asked_, 0) << "nobody is asked about nobody";
  EXPECT_EQ(Ask("/metrics", "unknown").status, 401);
  EXPECT_EQ(Ask("/metrics", "t-10").status, 403);
  EXPECT_EQ(asked_, 3) << "two tokens, of which one is somebody's";
  EXPECT_EQ(Ask("/metrics", "unknown").status, 401) << "from memory";
  EXPECT_EQ(Ask("/nowhere", "right").status, 404);
}

TEST_P(EndpointHeadsTest, AReaderOfMetrics_IsReadToTheEndAndAnswered) {
  EXPECT_EQ(Ask("/token", "right", kBody).status, 200);
  EXPECT_EQ(Ask("/metrics", "t-1", kBody).status, 200) << "after the API server was asked";
  EXPECT_EQ(Ask("/metrics", "t-1", kBody).status, 200) << "from memory";
}

INSTANTIATE_TEST_SUITE_P(All, EndpointHeadsTest,
                         ::testing::Values(Protocol::kHttp1, Protocol::kHttp1Tls, Protocol::kHttp2),
                         [](const auto& row) {
                           switch (row.param) {
                             case Protocol::kHttp1:
                               return "Http1";
                             case Protocol::kHttp1Tls:
                               return "Http1Tls";
                             case Protocol::kHttp2:
                               return "Http2";
                           }
                           return "";
                         });

}  // namespace
}  // namespace kinformer
