// A manager's webhook server on a port: what it says while it listens, and afterwards.

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "kinformer/base/runtime.h"
#include "kinformer/client/client.h"
#include "kinformer/client/transport.h"

#include "client/testing/scripted_server.h"
#include "controller/manager/webhook_runnable.h"
#include "x509/tls_authority.h"

namespace kinformer::internal {
namespace {

CertificatePair NewPair(Env& env) {
  auto authority = x509::TlsAuthority::Make("test", env.WallNow()).OrExit();
  auto pair = authority.ServerCertificate({"127.0.0.1"}).OrExit();
  return {.cert_pem = pair.cert_pem, .key_pem = pair.key_pem};
}

// `in_secret`: the certificate is made in a Secret, and not given.
void CheckPort(bool in_secret) {
  Runtime runtime;
  testing::ScriptedServer server;
  server.fallback = [](const HttpRequest& request) {
    return request.method == "POST" ? testing::Json(request.body, 201)
                                    : testing::StatusFailure(404, "NotFound", "no such secret");
  };
  {
    const Client client = Client::ForTransport(
        runtime.env(), std::shared_ptr<Transport>(NewInMemoryTransport(runtime.env(), server)),
        {.qps = -1, .prefer_json = true});
    WebhookRunnable::Options options{
        .listener = {.address = "127.0.0.1", .port = 0, .cert_dir = "/no/such/folder"}};
    if (in_secret) {
      options.certificates = WebhookCertificatesOptions{
          .namespace_ = "default", .secret_name = "hooks-tls", .hosts = {"a.default.svc"}};
    } else {
      options.listener.certificate = NewPair(runtime.env());
    }
    WebhookRunnable webhooks(client, std::move(options));
    const auto started = webhooks.server().StartedChecker();
    EXPECT_EQ(webhooks.port(), 0);
    EXPECT_FALSE(webhooks.Check().ok());
    std::stop_source stop;
    std::optional<Result<void>> result;
    std::thread thread([&] { result = webhooks.Start(stop.get_token()); });
    EXPECT_TRUE(webhooks.WaitUntilReady({}).ok());
    EXPECT_NE(webhooks.port(), 0);
    EXPECT_TRUE(webhooks.Check().ok());
    EXPECT_TRUE(started().ok());
    EXPECT_TRUE(webhooks.WaitUntilReady({}).ok()) << "it is ready for the next one, too";
    stop.request_stop();
    thread.join();
    ASSERT_TRUE(result.has_value());
    EXPECT_TRUE(result->ok()) << result->error();
    EXPECT_EQ(webhooks.port(), 0);
    EXPECT_FALSE(webhooks.Check().ok());
    EXPECT_FALSE(started().ok());
  }
}

TEST(WebhookPort, GivenCertificate_ListensUntilStopped) { CheckPort(false); }

TEST(WebhookPort, CertificateOfASecret_ListensUntilStopped) { CheckPort(true); }

}  // namespace
}  // namespace kinformer::internal
