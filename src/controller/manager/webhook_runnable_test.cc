// A manager's webhook server: when it is ready, what its check says, and how it ends. In a
// simulation, which has no sockets.

#include "controller/manager/webhook_runnable.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/transport.h"
#include "kinformer/webhook/webhook_server.h"

#include "base/core/testing/fields_log.h"
#include "client/testing/scripted_server.h"

namespace kinformer::internal {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kNoSockets =
    "InvalidArgument: ManagerOptions::webhook: an HttpServer needs a Runtime's Env; a simulation "
    "has no sockets";

class WebhookRunnables : public ::testing::Test {
 protected:
  WebhookRunnables() {
    server_.fallback = [this](const HttpRequest& request) { return Answer(request); };
  }
  ~WebhookRunnables() override {
    stop_.request_stop();
    if (thread_ != nullptr) thread_->Join();
  }
  void Make(bool listens, bool certificates = false) {
    WebhookRunnable::Options options{.listens = listens};
    options.listener.cert_dir = "/no/such/folder";
    if (certificates) {
      options.certificates = WebhookCertificatesOptions{
          .namespace_ = "default", .secret_name = "hooks-tls", .hosts = {"a.default.svc"}};
    }
    webhooks_ = std::make_unique<WebhookRunnable>(client_, std::move(options));
  }
  void Start() {
    thread_ =
        sim_.env().NewThread("webhooks", [this] { result_ = webhooks_->Start(stop_.get_token()); });
    sim_.RunReady();
  }
  // Waits on a thread of its own.
  struct Wait {
    std::stop_source stop{};
    std::optional<Result<void>> result{};
    std::unique_ptr<Thread> thread{};
  };
  void Begin(Wait& wait) {
    wait.thread = sim_.env().NewThread(
        "wait", [&] { wait.result = webhooks_->WaitUntilReady(wait.stop.get_token()); });
    sim_.RunReady();
  }
  std::string Check() {
    const Result<void> checked = webhooks_->Check();
    return checked.ok() ? "ok" : checked.error().ToString();
  }
  bool Started() { return webhooks_->server().StartedChecker()().ok(); }

  // Has no Secret, and creates one if that is allowed.
  testing::ScriptedResponse Answer(const HttpRequest& request) {
    if (denials_ > 0) {
      --denials_;
      return testing::StatusFailure(403, "Forbidden", "no secrets");
    }
    if (request.method != "POST") return testing::StatusFailure(404, "NotFound", "no such secret");
    ++created_;
    return testing::Json(request.body, 201);
  }

  const std::shared_ptr<base::FieldsLog> log_ =
      std::make_shared<base::FieldsLog>(LogLevel::kWarning);
  Simulation sim_{{.log = log_}};
  testing::ScriptedServer server_;
  int denials_ = 0;
  int created_ = 0;
  const Client client_ = Client::ForTransport(
      sim_.env(), std::shared_ptr<Transport>(NewInMemoryTransport(sim_.env(), server_)),
      {.qps = -1, .prefer_json = true});
  std::unique_ptr<WebhookRunnable> webhooks_;
  std::stop_source stop_;
  std::optional<Result<void>> result_;
  std::unique_ptr<Thread> thread_;
};

TEST_F(WebhookRunnables, InMemoryOnly_IsReadyAtOnce) {
  for (const bool certificates : {false, true}) {
    Make(false, certificates);
    EXPECT_EQ(webhooks_->name(), "webhook server");
    EXPECT_EQ(webhooks_->group(), RunnableGroup::kWebhooks);
    EXPECT_EQ(webhooks_->port(), 0);
    EXPECT_EQ(Check(), "ok");
    EXPECT_FALSE(Started());
    Wait wait;
    Begin(wait);
    EXPECT_TRUE(wait.result && wait.result->ok()) << "before its start, too";
    Start();
    EXPECT_TRUE(Started());
    sim_.RunFor(hours(100));
    EXPECT_FALSE(result_);
    EXPECT_TRUE(Started());
    stop_.request_stop();
    sim_.RunReady();
    ASSERT_TRUE(result_ && result_->ok());
    EXPECT_FALSE(Started());
    EXPECT_EQ(Check(), "ok");
    thread_->Join();
    stop_ = std::stop_source();
    result_.reset();
  }
  EXPECT_EQ(log_->text(), "");
}

TEST_F(WebhookRunnables, PortThatCannotBeOpened_EndsItAndTheWait) {
  Make(true);
  EXPECT_EQ(Check(), "NotSynced: the webhooks do not listen");
  Wait wait;
  Begin(wait);
  EXPECT_FALSE(wait.result);
  Start();
  ASSERT_TRUE(result_.has_value());
  EXPECT_EQ(result_->error().ToString(), kNoSockets);
  ASSERT_TRUE(wait.result && wait.result->ok()) << "its end is reported by Start";
  EXPECT_FALSE(Started());
  EXPECT_EQ(webhooks_->port(), 0);
  EXPECT_EQ(Check(), "NotSynced: the webhooks do not listen");
  Wait late;
  Begin(late);
  EXPECT_TRUE(late.result && late.result->ok());
}

TEST_F(WebhookRunnables, WithoutACertificate_ItIsNotReady) {
  denials_ = 1'000'000;
  Make(true, true);
  Start();
  Wait wait;
  Wait impatient;
  Begin(wait);
  Begin(impatient);
  sim_.RunFor(hours(1));
  EXPECT_EQ(Check(), "NotSynced: the webhooks do not listen: there is no certificate yet");
  EXPECT_FALSE(wait.result);
  EXPECT_FALSE(result_);
  EXPECT_FALSE(Started());
  EXPECT_EQ(webhooks_->port(), 0);
  impatient.stop.request_stop();
  sim_.RunReady();
  EXPECT_TRUE(impatient.result && impatient.result->ok());
  EXPECT_FALSE(wait.result) << "the other one waits on";
  EXPECT_FALSE(result_);
  stop_.request_stop();
  sim_.RunReady();
  EXPECT_TRUE(result_ && result_->ok()) << "no certificate is no failure of the manager";
  EXPECT_TRUE(wait.result && wait.result->ok());
  EXPECT_THAT(log_->text(), HasSubstr("cannot keep the webhooks' certificates"));
}

TEST_F(WebhookRunnables, FirstCertificate_OpensThePort) {
  denials_ = 2;
  Make(true, true);
  Start();
  Wait wait;
  Begin(wait);
  sim_.RunFor(seconds(19));
  EXPECT_FALSE(result_);
  EXPECT_FALSE(wait.result);
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(result_.has_value()) << "it does not go on without its port";
  EXPECT_EQ(result_->error().ToString(), kNoSockets);
  EXPECT_TRUE(wait.result && wait.result->ok());
  EXPECT_FALSE(Started());
  EXPECT_EQ(created_, 1);
}

}  // namespace
}  // namespace kinformer::internal
