// Webhooks that exceed the server's timeout.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"
#include "kinformer/webhook/webhook_server.h"

#include "apiserver/request/responses.h"
#include "apiserver/testing.h"
#include "base/core/testing/fields_log.h"

namespace kinformer::apiserver::testing {
namespace {

using internal::base::FieldsLog;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class SlowWebhooksTest : public ::testing::Test {
 protected:
  // Time since the test began.
  [[nodiscard]] Duration Now() { return sim_.env().Now() - begin_; }

  // Serves a webhook that takes `needs` for its response, even if nobody waits for it, and makes a
  // configuration of it for ConfigMaps.
  void Add(const std::string& kind, const std::string& name, Duration needs,
           std::string_view more) {
    webhooks_
        .Register("/" + name,
                  [this, name, needs](const admission::Request& request) {
                    const std::stop_callback on_stop(request.call.stop,
                                                     [&] { Note(name, "stop"); });
                    sim_.env().SleepFor(needs);
                    Note(name, "answer");
                    return admission::Allowed();
                  })
        .OrExit();
    json::Value webhook = Json(R"({"rules":[{"operations":["*"],"apiGroups":[""],
      "apiVersions":["v1"],"resources":["configmaps"]}],"sideEffects":"None",
      "admissionReviewVersions":["v1"]})");
    webhook.Set("name", name + ".example.com");
    webhook.Ensure("clientConfig").Set("url", "https://hooks/" + name);
    webhook.MergePatch(Json(more));
    const GroupVersionResource configurations{.group = "admissionregistration.k8s.io",
                                              .version = "v1",
                                              .resource = kind + "webhookconfigurations"};
    server_
        .Create(configurations,
                json::Value::MakeObject({{"metadata", json::Value::MakeObject({{"name", name}})},
                                         {"webhooks", json::Value::MakeArray({webhook})}}))
        .OrExit();
  }

  // Makes a ConfigMap; returns the response's status.
  int Make() {
    OpenReply open(sim_, server_.Handle({.method = "POST",
                                         .target = "/api/v1/namespaces/default/configmaps",
                                         .body = R"({"metadata":{"name":"x"}})"}));
    EXPECT_TRUE(sim_.RunUntil(
        [&] {
          open.Pull();
          return open.ended();
        },
        minutes(1)));
    return open.reply().status;
  }

  void Note(const std::string& name, std::string_view what) {
    const auto second = std::chrono::duration_cast<seconds>(Now()).count();
    notes_.push_back(name + " " + std::string(what) + " " + std::to_string(second));
  }

  const std::shared_ptr<FieldsLog> log_ = std::make_shared<FieldsLog>(LogLevel::kWarning);
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.log = log_, .metrics = metrics_}};
  const SteadyTime begin_ = sim_.env().Now();
  // "NAME stop 1", "NAME answer 5", with the second. Outlives the webhooks, which write to it.
  std::vector<std::string> notes_{};
  WebhookServer webhooks_{sim_.env()};
  const std::shared_ptr<Transport> transport_ = NewInMemoryTransport(sim_.env(), webhooks_);
  std::function<std::shared_ptr<Transport>()> transport_of_ = [this] { return transport_; };
  ApiServer server_{
      sim_.env(), {.webhook_transport = [this](const WebhookAddress&) { return transport_of_(); }}};
};

TEST_F(SlowWebhooksTest, Validating_TimedOutCallIsAbandonedWhileOthersRun) {
  Add("validating", "a", seconds(2), R"({"failurePolicy":"Ignore","timeoutSeconds":1})");
  Add("validating", "b", seconds(5), R"({"timeoutSeconds":10})");
  EXPECT_EQ(Make(), 201);
  EXPECT_EQ(Now(), seconds(5));
  EXPECT_THAT(notes_, ElementsAre("a stop 1", "a answer 2", "b answer 5"));
  EXPECT_THAT(log_->lines, ElementsAre(StartsWith("a webhook that may fail has failed")));
  EXPECT_THAT(metrics_->Text(), Not(HasSubstr("kinformer_user_exceptions_total")));
}

TEST_F(SlowWebhooksTest, Mutating_TimedOutCallIsAbandonedAndTheNextIsAsked) {
  Add("mutating", "a", seconds(2), R"({"failurePolicy":"Ignore","timeoutSeconds":1})");
  Add("mutating", "b", seconds(5), R"({"timeoutSeconds":10})");
  EXPECT_EQ(Make(), 201);
  EXPECT_EQ(Now(), seconds(6));
  EXPECT_THAT(notes_, ElementsAre("a stop 1", "a answer 2", "b answer 6"));
  EXPECT_THAT(log_->lines, ElementsAre(StartsWith("a webhook that may fail has failed")));
  EXPECT_THAT(metrics_->Text(), Not(HasSubstr("kinformer_user_exceptions_total")));
}

// A transport implemented by the program.
class BrokenTransport final : public Transport {
 public:
  std::unique_ptr<HttpCall> Start(HttpRequest, ResponseReceiver&) override {
    throw std::runtime_error("no socket");
  }
  [[nodiscard]] TransportStats Stats() const override { return {}; }
  [[nodiscard]] std::string Describe() const override { return "broken"; }
};

class ThrowingTransportTest : public SlowWebhooksTest {
 protected:
  void Fails(std::string_view function, std::string_view what) {
    Add("validating", "a", seconds(0), R"({"timeoutSeconds":1})");
    EXPECT_EQ(Make(), 500);
    EXPECT_LT(Now(), seconds(1)) << "the write ends without its time being over";
    EXPECT_THAT(metrics_->Text(), HasSubstr("kinformer_user_exceptions_total{function=\"" +
                                            std::string(function) + "\"} 1"));
    EXPECT_THAT(log_->lines, ::testing::Contains(StartsWith("a function of the program's threw")));
    EXPECT_THAT(log_->text(), HasSubstr(std::string(what)));
  }
};

TEST_F(ThrowingTransportTest, AWebhookTransportThatThrowsFailsTheCall) {
  transport_of_ = []() -> std::shared_ptr<Transport> { throw std::runtime_error("no way"); };
  Fails("ApiServerOptions::webhook_transport", "no way");
}

TEST_F(ThrowingTransportTest, ATransportWhoseStartThrowsFailsTheCall) {
  transport_of_ = [] { return std::make_shared<BrokenTransport>(); };
  Fails("Transport::Start of a webhook", "no socket");
}

class Long final : public Handler {
 public:
  std::unique_ptr<ResponseStream> Handle(HttpRequest) override {
    // A text that would be a valid response without its truncated part.
    return WholeResponse(200, "application/json",
                         R"({"x":")" + std::string(std::size_t{17} << 20, 'x') + "\"}");
  }
};

TEST_F(SlowWebhooksTest, AnAnswerThatIsTooLongIsRefusedAndNotReadInPart) {
  Long hook;
  transport_of_ = [&]() -> std::shared_ptr<Transport> {
    return NewInMemoryTransport(sim_.env(), hook);
  };
  Add("validating", "a", seconds(0), R"({"timeoutSeconds":5,"failurePolicy":"Ignore"})");
  EXPECT_EQ(Make(), 201);
  EXPECT_THAT(log_->text(), HasSubstr("is longer than 16777216 bytes"));
}

}  // namespace
}  // namespace kinformer::apiserver::testing
