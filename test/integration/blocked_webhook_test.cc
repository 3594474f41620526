// Webhooks that read from the API server before they answer, or do not answer for a while: the
// library's own work must continue, although they block every thread of the pool.

#include <chrono>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/webhook/webhook_listener.h"
#include "kinformer/webhook/webhook_server.h"

#include "controller/certificates/folder_for_test.h"
#include "integration/client_proofs.h"
#include "integration/embedded_server.h"
#include "integration/one_cpu.h"
#include "transport/one_request_for_test.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;
using ::testing::HasSubstr;

const Proof kProofs[] = {StaticToken(), TokenFile(), CertificateAuthorityFile(), LastingPlugin(),
                         ExpiringPlugin()};

// The second parameter: on one processor.
class BlockedWebhook : public ::testing::TestWithParam<std::tuple<Proof, bool>> {
 protected:
  BlockedWebhook() {
    server_.Put("one", "1");
    folder_.Write(folder_.Make());
  }
  [[nodiscard]] Client NewClient() {
    Config config = server_.ClientConfig();
    std::get<Proof>(GetParam()).prove(config);
    return Client::NewForConfig(runtime_.env(), config, {.qps = -1}).OrExit();
  }
  [[nodiscard]] std::unique_ptr<WebhookListener> Listen() {
    return WebhookListener::Listen(runtime_.env(), webhooks_,
                                   {.address = "127.0.0.1",
                                    .port = 0,
                                    .cert_dir = folder_.path(),
                                    .cert_read_interval = 5ms})
        .OrExit();
  }
  // Sends a review over a new connection, like an API server.
  std::string Ask(const WebhookListener& listener, const std::string& path,
                  const std::string& ca_pem) {
    HttpRequest request{.method = "POST", .target = path};
    request.headers.Add("Content-Type", "application/json");
    request.body = R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1",)"
                   R"("request":{"uid":"u"}})";
    return OneRequest(askers_.env(),
                      {.base_url = "https://127.0.0.1:" + std::to_string(listener.port()),
                       .tls = {.ca_pem = ca_pem}},
                      std::move(request));
  }

  // Before the threads of the others.
  const std::unique_ptr<OneCpu> one_cpu_ =
      std::get<bool>(GetParam()) ? std::make_unique<OneCpu>() : nullptr;
  CertificateFolder folder_{};
  EmbeddedServer server_{};
  Runtime askers_{{.name = "askers"}};
  Runtime runtime_{{.max_handler_threads = 1}};
  WebhookServer webhooks_{runtime_.env()};
};

INSTANTIATE_TEST_SUITE_P(Credentials, BlockedWebhook,
                         ::testing::Combine(::testing::ValuesIn(kProofs), ::testing::Bool()),
                         [](const auto& of) {
                           return std::string(std::get<Proof>(of.param).name) +
                                  (std::get<bool>(of.param) ? "OnOneCpu" : "");
                         });

TEST_P(BlockedWebhook, CallsThatReadWhileTheyBlock_AreAllAnswered) {
  const Client client = NewClient();
  webhooks_
      .Register("/read",
                [&](const admission::Request&) {
                  const auto read =
                      client.For<ConfigMap>("default").Get("one", {}, {.timeout = 30s});
                  return read ? admission::Allowed() : admission::Denied(read.error().message());
                })
      .OrExit();
  const auto listener = Listen();
  std::vector<std::future<std::string>> answers;
  for (int i = 0; i < 20; ++i) {
    answers.push_back(
        std::async(std::launch::async, [&] { return Ask(*listener, "/read", folder_.ca_pem()); }));
  }
  for (auto& answer : answers) EXPECT_THAT(answer.get(), HasSubstr(R"("allowed":true)"));
}

TEST_P(BlockedWebhook, ACallThatAnswersNothing_HoldsUpNoRequestNorInformerNorRenewedCertificate) {
  std::promise<void> release;
  std::promise<void> holds;
  webhooks_
      .Register("/hold",
                [&, released = release.get_future().share()](const admission::Request&) {
                  holds.set_value();
                  released.wait();
                  return admission::Allowed();
                })
      .OrExit();
  const auto listener = Listen();
  auto held =
      std::async(std::launch::async, [&] { return Ask(*listener, "/hold", folder_.ca_pem()); });
  holds.get_future().wait();
  {
    const Client client = NewClient();
    const auto read = client.For<ConfigMap>("default").Get("one", {}, {.timeout = 30s});
    EXPECT_TRUE(read.ok()) << read.error();
    SharedInformerFactory factory(NewClient());
    const auto maps = factory.InformerFor<ConfigMap>();
    factory.Start();
    EXPECT_TRUE(Eventually([&] { return maps.lister().Namespace("default").Get("one").ok(); }));
    factory.Shutdown();
  }
  CertificateFolder other;
  folder_.Rename(other.Make());
  EXPECT_TRUE(Eventually(
      [&] { return Ask(*listener, "/nowhere", other.ca_pem()).find("404") != std::string::npos; }));
  release.set_value();
  EXPECT_THAT(held.get(), HasSubstr(R"("allowed":true)"));
}

}  // namespace
}  // namespace kinformer::testing
