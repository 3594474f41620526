// Webhook servers on a port answer after the head of a request, over HTTP/1.1 and HTTP/2, if no
// body could change the answer.

#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/runtime.h"
#include "kinformer/webhook/webhook_listener.h"
#include "kinformer/webhook/webhook_server.h"

#include "controller/certificates/folder_for_test.h"
#include "http/early_client_for_test.h"

namespace kinformer::testing {
namespace {

using internal::http::AskEarly;
using ::testing::HasSubstr;

constexpr std::size_t kBody = 3'000'000;
constexpr const char* kJson = "Content-Type: application/json";
constexpr const char* kYaml = "Content-Type: application/yaml";

// Parameter: whether HTTP/2 is used.
class WebhookHeadsTest : public ::testing::TestWithParam<bool> {
 protected:
  WebhookHeadsTest() {
    folder_.Write(folder_.Make());
    Register(webhooks_);
  }
  static void Register(WebhookServer& webhooks) {
    webhooks.Register("/yes", [](const admission::Request&) { return admission::Allowed(); })
        .OrExit();
    webhooks
        .RegisterAuthentication(
            "/token",
            [](const authentication::Request&) { return authentication::Unauthenticated("no"); })
        .OrExit();
    webhooks.RegisterConversions(Conversions(), "/convert").OrExit();
  }

  void Listen(Handler& handler, std::string client_ca_pem = {}) {
    listener_ = WebhookListener::Listen(runtime_.env(), handler,
                                        {.address = "127.0.0.1",
                                         .port = 0,
                                         .cert_dir = folder_.path(),
                                         .client_ca_pem = std::move(client_ca_pem),
                                         .http2 = GetParam()})
                    .OrExit();
  }
  internal::http::Reply Ask(const std::string& path, const char* content_type,
                            std::size_t body_bytes = kBody, std::size_t sent_bytes = 0) {
    internal::http::Reply reply =
        AskEarly({.url = "https://127.0.0.1:" + std::to_string(listener_->port()) + path,
                  .http2 = GetParam(),
                  .ca_pem = folder_.ca_pem(),
                  .headers = {content_type},
                  .body_bytes = body_bytes,
                  .sent_bytes = sent_bytes});
    EXPECT_EQ(reply.http2, GetParam());
    return reply;
  }

  CertificateFolder folder_{};
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Runtime runtime_{{.metrics = metrics_}};
  WebhookServer webhooks_{runtime_.env()};
  std::unique_ptr<WebhookListener> listener_{};
};

TEST_P(WebhookHeadsTest, APathWithoutAWebhook_IsNotFoundBeforeTheBody) {
  Listen(webhooks_);
  for (const char* path : {"/nowhere", "/", "/yes/", "/nowhere?timeout=10s"}) {
    const internal::http::Reply reply = Ask(path, kJson);
    EXPECT_EQ(reply.status, 404) << path;
    EXPECT_EQ(reply.body, "404 page not found\n") << path;
  }
}

TEST_P(WebhookHeadsTest, AContentTypeThatIsNotRead_IsSaidInTheReviewBeforeTheBody) {
  Listen(webhooks_);
  const internal::http::Reply admission = Ask("/yes?timeout=10s", kYaml);
  EXPECT_EQ(admission.status, 200);
  EXPECT_THAT(admission.body, HasSubstr("contentType=application/yaml, expected application/json"));
  EXPECT_THAT(admission.body, HasSubstr(R"("code":400)"));
  const internal::http::Reply token = Ask("/token", kYaml);
  EXPECT_EQ(token.status, 200);
  EXPECT_THAT(token.body, HasSubstr("contentType=application/yaml, expected application/json"));
  EXPECT_THAT(metrics_->Text(), HasSubstr("controller_runtime_webhook_requests_total"));
  // The complete request gets the same answer.
  EXPECT_EQ(Ask("/yes", kYaml, 10, 10).body, admission.body);
  EXPECT_EQ(Ask("/token", kYaml, 10, 10).body, token.body);
}

TEST_P(WebhookHeadsTest, AClientWithoutACertificate_IsRefusedBeforeTheBody) {
  Listen(webhooks_, folder_.ca_pem());
  for (const char* path : {"/yes", "/nowhere"}) {
    const internal::http::Reply reply = Ask(path, kJson);
    EXPECT_EQ(reply.status, 401) << path;
    EXPECT_EQ(reply.body, "a client certificate is required\n") << path;
  }
}

TEST_P(WebhookHeadsTest, AcceptedHead_BodyIsReadToTheEnd) {
  Listen(webhooks_);
  for (const std::size_t size : {std::size_t{1}, std::size_t{70'000}, kBody}) {
    EXPECT_THAT(Ask("/yes", kJson, size, size).body, HasSubstr(R"("code":400)")) << size;
    EXPECT_EQ(Ask("/convert", kYaml, size, size).status, 400) << "the body is no ConversionReview";
  }
}

TEST_P(WebhookHeadsTest, DerivedServer_AnswersAtPathsOfItsOwn) {
  class More final : public WebhookServer {
   public:
    using WebhookServer::WebhookServer;
    std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
      if (request.target == "/more") request.target = "/yes";
      return WebhookServer::Handle(std::move(request));
    }
  };
  More more(runtime_.env());
  Register(more);
  Listen(more);
  EXPECT_EQ(Ask("/more", kJson, 10, 10).status, 200);
  EXPECT_EQ(Ask("/nowhere", kJson, 10, 10).status, 404);
  listener_.reset();
}

INSTANTIATE_TEST_SUITE_P(All, WebhookHeadsTest, ::testing::Bool(),
                         [](const auto& row) { return row.param ? "Http2" : "Http1"; });

}  // namespace
}  // namespace kinformer::testing
