// A webhook server on a port, with TLS.

#include "kinformer/webhook/webhook_listener.h"

#include <chrono>
#include <cstdint>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/webhook/webhook_server.h"

#include "controller/certificates/folder_for_test.h"
#include "transport/one_request_for_test.h"

namespace kinformer::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kReview =
    R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1"}})";

class WebhookListenerTest : public ::testing::Test {
 protected:
  WebhookListenerTest() {
    folder_.Write(folder_.Make());
    webhooks_.Register("/yes", [](const admission::Request&) { return admission::Allowed(); })
        .OrExit();
  }

  // Sends a request over a new connection.
  std::string Ask(const WebhookListener& listener, std::string body, const std::string& ca_pem,
                  const std::string& target = "/yes?timeout=10s") {
    HttpTransportOptions options{.base_url = "https://127.0.0.1:" + std::to_string(listener.port()),
                                 .tls = {.ca_pem = ca_pem}};
    HttpRequest request{.method = "POST", .target = target};
    request.headers.Add("Content-Type", "application/json");
    request.body = std::move(body);
    return OneRequest(runtime_->env(), options, std::move(request));
  }

  CertificateFolder folder_{};
  const std::unique_ptr<Runtime> runtime_ = std::make_unique<Runtime>();
  WebhookServer webhooks_{runtime_->env()};
};

TEST_F(WebhookListenerTest, AQuestionOverTls) {
  const auto listener =
      WebhookListener::Listen(runtime_->env(), webhooks_,
                              {.address = "127.0.0.1", .port = 0, .cert_dir = folder_.path()})
          .OrExit();
  EXPECT_THAT(Ask(*listener, kReview, folder_.ca_pem()), HasSubstr(R"("allowed":true)"));
  EXPECT_THAT(Ask(*listener, std::string(std::size_t{7} << 20, ' '), folder_.ca_pem()),
              HasSubstr(R"("code":413)"));
  EXPECT_THAT(Ask(*listener, kReview, CertificateFolder().ca_pem()), HasSubstr("certificate"));
  EXPECT_THAT(Ask(*listener, kReview, folder_.ca_pem(), "/later"), HasSubstr("404"));
  webhooks_.Register("/later", [](const admission::Request&) { return admission::Allowed(); })
      .OrExit();
  EXPECT_THAT(Ask(*listener, kReview, folder_.ca_pem(), "/later"), HasSubstr(R"("allowed":true)"));
  listener->Shutdown(std::chrono::seconds(10));
}

TEST_F(WebhookListenerTest, BodyAboveEightMebibytes_IsNotForTheWebhook) {
  const auto listener =
      WebhookListener::Listen(runtime_->env(), webhooks_,
                              {.address = "127.0.0.1", .port = 0, .cert_dir = folder_.path()})
          .OrExit();
  constexpr std::size_t kLimit = std::size_t{8} << 20;
  EXPECT_THAT(Ask(*listener, std::string(kLimit, ' '), folder_.ca_pem()),
              HasSubstr(R"("code":413)"));
  EXPECT_THAT(Ask(*listener, std::string(kLimit + 1, ' '), folder_.ca_pem()),
              ::testing::Not(HasSubstr("AdmissionReview")));
}

TEST_F(WebhookListenerTest, TakenPort_ErrorSaysWhatToDo) {
  const CertificatePair pair = folder_.Make();
  const auto listen = [&](std::uint16_t port, const CertificatePair& certificate) {
    return WebhookListener::Listen(
        runtime_->env(), webhooks_,
        {.address = "127.0.0.1", .port = port, .certificate = certificate});
  };
  const auto listener = listen(0, pair).OrExit();
  const auto second = listen(listener->port(), pair);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().reason(), Reason::kTransport);
  EXPECT_THAT(second.error().message(),
              ::testing::EndsWith(": give WebhookListenerOptions another port, 0 for any"));
  EXPECT_EQ(listen(0, {"nonsense", "nonsense"}).error().reason(), Reason::kConfig);
}

TEST_F(WebhookListenerTest, ANewCertificateIsOfferedToNewConnections_WH02) {
  const auto listener =
      WebhookListener::Listen(runtime_->env(), webhooks_,
                              {.address = "127.0.0.1", .port = 0, .cert_dir = folder_.path()})
          .OrExit();
  CertificateFolder other;
  ASSERT_TRUE(listener->SetCertificate(other.Make()).ok());
  EXPECT_THAT(Ask(*listener, kReview, other.ca_pem()), HasSubstr(R"("allowed":true)"));
  EXPECT_EQ(listener->SetCertificate({"nonsense", "nonsense"}).error().reason(), Reason::kConfig);
  EXPECT_THAT(Ask(*listener, kReview, other.ca_pem()), HasSubstr(R"("allowed":true)"));
}

TEST_F(WebhookListenerTest, ARenewedCertificateInTheFilesIsOffered_WH02) {
  const auto listener =
      WebhookListener::Listen(runtime_->env(), webhooks_,
                              {.address = "127.0.0.1",
                               .port = 0,
                               .cert_dir = folder_.path(),
                               .cert_read_interval = std::chrono::milliseconds(5)})
          .OrExit();
  CertificateFolder other;
  EXPECT_THAT(Ask(*listener, kReview, other.ca_pem()), HasSubstr("certificate"));
  folder_.Rename(other.Make());
  // Takes a few milliseconds.
  const auto renewed = [&] { return Ask(*listener, kReview, other.ca_pem()); };
  for (int i = 0; i < 1000 && renewed().find(R"("allowed":true)") == std::string::npos; ++i) {
  }
  EXPECT_THAT(renewed(), HasSubstr(R"("allowed":true)"));
  EXPECT_THAT(Ask(*listener, kReview, folder_.ca_pem()), HasSubstr("certificate"));
}

TEST_F(WebhookListenerTest, ClientWithoutCertificate_IsRefused) {
  const auto listener = WebhookListener::Listen(runtime_->env(), webhooks_,
                                                {.address = "127.0.0.1",
                                                 .port = 0,
                                                 .cert_dir = folder_.path(),
                                                 .client_ca_pem = folder_.ca_pem()})
                            .OrExit();
  EXPECT_EQ(Ask(*listener, kReview, folder_.ca_pem()), "401 a client certificate is required\n");
}

TEST_F(WebhookListenerTest, ListenInSimulation_FailsWithoutReadingCertificates) {
  Simulation sim;
  bool ran = false;
  sim.env().loop().Post([&ran] { ran = true; });
  const std::uint64_t before = sim.TraceHash();
  const auto listener =
      WebhookListener::Listen(sim.env(), webhooks_, {.port = 0, .cert_dir = folder_.path()});
  ASSERT_FALSE(listener.ok());
  EXPECT_EQ(listener.error().reason(), Reason::kInvalidArgument);
  EXPECT_THAT(listener.error().message(), HasSubstr("a simulation has no sockets"));
  // No thread was made, since its end would have to be awaited.
  EXPECT_EQ(sim.TraceHash(), before);
  EXPECT_FALSE(ran);
}

TEST_F(WebhookListenerTest, WithoutACertificateItDoesNotStart) {
  EXPECT_EQ(WebhookListener::Listen(runtime_->env(), webhooks_,
                                    {.port = 0, .cert_dir = folder_.path() + "/none"})
                .error()
                .reason(),
            Reason::kConfig);
}

}  // namespace
}  // namespace kinformer::testing
