// Refusals by origin, Host or credentials are sent at the end of the head, without waiting for an
// announced body.

#include <algorithm>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/http/testing.h"
#include "http/early_client_for_test.h"

namespace kinformer::apiserver {
namespace {

using internal::http::AskEarly;
using ::testing::HasSubstr;

constexpr std::size_t kBody = 3'000'000;

class EarlyRefusalTest : public ::testing::TestWithParam<Protocol>, protected HttpServerFixture {
 protected:
  EarlyRefusalTest() : HttpServerFixture(GetParam()) {}

  internal::http::Reply Ask(std::vector<std::string> headers, std::size_t body_bytes = kBody,
                            std::size_t sent_bytes = 0) {
    internal::http::Reply reply = AskEarly({.url = server_->url() + "/echo",
                                            .http2 = protocol_ == Protocol::kHttp2Tls,
                                            .ca_pem = server_->ca_pem(),
                                            .headers = std::move(headers),
                                            .body_bytes = body_bytes,
                                            .sent_bytes = sent_bytes});
    EXPECT_EQ(reply.http2, protocol_ == Protocol::kHttp2Tls);
    return reply;
  }
};

TEST_P(EarlyRefusalTest, AForeignOriginOrHost_IsRefusedBeforeTheBody) {
  Listen();
  const std::string own = "Origin: " + server_->url();
  const std::string some(1000, 'b');
  EXPECT_EQ(Ask({own}, some.size(), some.size()).status, 200);
  const internal::http::Reply origin = Ask({"Origin: https://evil.example"});
  EXPECT_EQ(origin.status, 403);
  EXPECT_THAT(origin.body, HasSubstr("a web page from elsewhere sent this request"));
  const internal::http::Reply host = Ask({"Host: evil.example"});
  EXPECT_EQ(host.status, 421);
  EXPECT_THAT(host.body, HasSubstr("is no name of this server"));
  EXPECT_EQ(handler_.alive, 0);
}

TEST_P(EarlyRefusalTest, AHostThatIsNone_IsRefusedBeforeTheBody) {
  if (protocol_ == Protocol::kHttp2Tls) GTEST_SKIP() << "curl does not send such a one";
  Listen();
  EXPECT_EQ(Ask({"Host: two words"}).status, 400);
  EXPECT_EQ(Ask({"Host: localhost/path"}).status, 400);
}

TEST_P(EarlyRefusalTest, AClientWithoutACertificate_IsRefusedBeforeTheBody) {
  if (protocol_ == Protocol::kHttp1) GTEST_SKIP() << "without TLS there are none";
  Listen({.require_client_certificate = true});
  EXPECT_EQ(Ask({}).status, 401);
}

// Compared with the same refusal of a request without a body; the best of five each, because of
// other load on the machine.
TEST_P(EarlyRefusalTest, ABodyThatDoesNotCome_AddsAtMost50MsToARefusal) {
  Listen({.bearer_token = "right"});
  for (const char* header : {"Origin: https://evil.example", "Authorization: Bearer wrong"}) {
    milliseconds without{10'000};
    milliseconds with{10'000};
    for (int i = 0; i < 5; ++i) {
      without = std::min(without, Ask({header}, 0).took);
      with = std::min(with, Ask({header}).took);
    }
    EXPECT_LE(with - without, milliseconds(50)) << header;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EarlyRefusalTest,
                         ::testing::Values(Protocol::kHttp1, Protocol::kHttp1Tls,
                                           Protocol::kHttp2Tls),
                         [](const auto& row) {
                           switch (row.param) {
                             case Protocol::kHttp1:
                               return "Http1";
                             case Protocol::kHttp1Tls:
                               return "Http1Tls";
                             case Protocol::kHttp2Tls:
                               return "Http2Tls";
                           }
                           return "";
                         });

}  // namespace
}  // namespace kinformer::apiserver
