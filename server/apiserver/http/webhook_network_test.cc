// Transports to webhooks that a network server caches.

#include "kinformer/apiserver/webhook_network.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/apiserver/http_server.h"
#include "kinformer/base/runtime.h"

#include "apiserver/http/testing.h"
#include "base/core/testing/fields_log.h"
#include "object/values/text_forms.h"
#include "x509/tls_authority.h"

namespace kinformer::apiserver {
namespace {

TEST(WebhookNetworkTest, KeepsTheAddressesThatWereAskedLastAndNoMore) {
  Runtime runtime;
  const auto network = WebhookNetwork(runtime.env());
  std::vector<std::weak_ptr<Transport>> made;
  const auto ask = [&](int i) {
    made.emplace_back(
        network({.base_url = "https://hook" + std::to_string(i) + ".example.com", .service = {}}));
    EXPECT_FALSE(i == 0 && made.back().expired());
  };
  for (int i = 0; i < 760; ++i) {
    ask(i);
    ask(0);
  }
  std::vector<std::shared_ptr<Transport>> alive;
  for (const auto& transport : made) {
    if (auto there = transport.lock()) alive.push_back(std::move(there));
  }
  std::ranges::sort(alive);
  alive.erase(std::unique(alive.begin(), alive.end()), alive.end());
  EXPECT_EQ(alive.size(), 16U) << "each may hold a connection";
  EXPECT_EQ(made.front().lock(), made.back().lock()) << "what is asked often stays";
}

using internal::base::FieldsLog;

std::string Base64(std::string_view text) {
  std::string out;
  internal::AppendBase64(text, out);
  return out;
}

TEST(WebhookNetworkTest, AddressesThatDiffer_HaveTransportsOfTheirOwn) {
  const auto log = std::make_shared<FieldsLog>(LogLevel::kWarning);
  Runtime runtime({.name = "hooks", .log = log});
  const auto authority =
      internal::x509::TlsAuthority::Make("one", runtime.env().WallNow()).OrExit();
  const std::string bundle = Base64(authority.ca_pem());
  const auto network = WebhookNetwork(runtime.env());
  const auto plain = network({.base_url = "https://hook.example:8443"});
  ASSERT_NE(plain, nullptr);
  EXPECT_EQ(plain->Describe(), "https://hook.example:8443");
  EXPECT_EQ(network({.base_url = "https://hook.example:8443"}), plain);
  EXPECT_NE(network({.base_url = "https://hook.example:8444"}), plain);
  const auto trusting = network({.base_url = "https://hook.example:8443", .ca_bundle = bundle});
  ASSERT_NE(trusting, nullptr);
  EXPECT_NE(trusting, plain);
  EXPECT_EQ(network({.base_url = "https://hook.example:8443", .ca_bundle = bundle}), trusting);
  EXPECT_EQ(log->text(), "");
}

TEST(WebhookNetworkTest, AddressThatCannotBeUsed_IsNullAndLogged) {
  const auto log = std::make_shared<FieldsLog>(LogLevel::kWarning);
  Runtime runtime({.name = "hooks", .log = log});
  const auto network = WebhookNetwork(runtime.env());
  EXPECT_EQ(network({.base_url = "https://a.example", .service = {"ns", "name"}}), nullptr)
      << "nobody resolves services here";
  EXPECT_EQ(log->text(), "");
  EXPECT_EQ(network({.base_url = "https://b.example", .ca_bundle = "no base64!"}), nullptr);
  EXPECT_EQ(log->Count("a webhook cannot be reached url=https://b.example err="), 1U);
  EXPECT_EQ(log->Count("caBundle is no base64"), 1U) << log->text();
  EXPECT_EQ(network({.base_url = "nonsense://c"}), nullptr);
  EXPECT_EQ(log->Count("a webhook cannot be reached url=nonsense://c err="), 1U) << log->text();
  EXPECT_NE(network({.base_url = "https://b.example"}), nullptr) << "the others still work";
}

class Answer final : public ResponseReceiver {
 public:
  void OnHeaders(int status, const HttpHeaders& /*headers*/) override { status_ = status; }
  void OnData(std::string_view data) override { body_ += data; }
  void OnDone(Result<void> result) override {
    done_.set_value(result ? std::to_string(status_) + " " + body_ : "failed");
  }
  [[nodiscard]] std::string Wait() { return done_.get_future().get(); }

 private:
  int status_ = 0;
  std::string body_{};
  std::promise<std::string> done_{};
};

TEST(WebhookNetworkTest, CaBundle_IsTheAuthorityThatIsTrusted) {
  Runtime runtime({.name = "hooks"});
  TestHandler handler(runtime.env());
  const auto server = HttpServer::Listen(runtime.env(), handler, {.tls = true}).OrExit();
  const auto other = internal::x509::TlsAuthority::Make("other", runtime.env().WallNow()).OrExit();
  const auto on_loop = [&](const std::function<void()>& work) {
    std::promise<void> done;
    runtime.env().loop().Post([&] {
      work();
      done.set_value();
    });
    done.get_future().get();
  };
  std::function<std::shared_ptr<Transport>(const WebhookAddress&)> network;
  on_loop([&] { network = WebhookNetwork(runtime.env()); });
  const auto ask = [&](const std::string& ca_pem) {
    Answer answer;
    std::unique_ptr<HttpCall> call;
    on_loop([&] {
      const auto transport =
          network({.base_url = server->url(), .ca_bundle = ca_pem.empty() ? "" : Base64(ca_pem)});
      call = transport->Start({.target = "/version"}, answer);
    });
    const std::string text = answer.Wait();
    on_loop([&] { call.reset(); });
    return text;
  };
  EXPECT_EQ(ask(server->ca_pem()), "200 v");
  EXPECT_EQ(ask(other.ca_pem()), "failed");
  on_loop([&] { network = nullptr; });
}

}  // namespace
}  // namespace kinformer::apiserver
