// What a manager serves on its ports: metrics, health checks, and handlers of the program's.

#include <atomic>
#include <chrono>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "kinformer/client.h"
#include "kinformer/http_transport.h"
#include "kinformer/manager.h"
#include "kinformer/metrics.h"
#include "kinformer/runtime.h"

namespace kinformer::testing {
namespace {

using ::testing::HasSubstr;

// One request, and what came of it: "200 ok", or the error.
class Asked final : public ResponseReceiver {
 public:
  void OnHeaders(int status, const HttpHeaders&) override { status_ = status; }
  void OnData(std::string_view data) override { body_ += data; }
  void OnDone(Result<void> result) override {
    done_.set_value(result ? std::to_string(status_) + " " + body_ : result.error().ToString());
  }
  [[nodiscard]] std::future<std::string> Future() { return done_.get_future(); }

 private:
  int status_ = 0;
  std::string body_{};
  std::promise<std::string> done_{};
};

// Answers with a text.
class TextHandler final : public Handler {
 public:
  explicit TextHandler(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest /*request*/) override {
    class Text final : public ResponseStream {
     public:
      explicit Text(std::string text) : text_(std::make_shared<const std::string>(text)) {}
      [[nodiscard]] bool ready() const override { return true; }
      [[nodiscard]] int status() const override { return 200; }
      [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
      State Read(std::size_t /*max_bytes*/, std::vector<BodyChunk>& out) override {
        out.push_back({.bytes = *text_, .owner = text_});
        return State::kEnd;
      }
      void SetWake(std::function<void()> /*wake*/) override {}

     private:
      const HttpHeaders headers_{};
      const std::shared_ptr<const std::string> text_;
    };
    return std::make_unique<Text>(text_);
  }

 private:
  const std::string text_;
};

class ManagerEndpoints : public ::testing::Test {
 protected:
  ManagerEndpoints() {
    // Nobody is there, and nobody is asked: nothing is cached.
    Config config;
    config.host = "http://127.0.0.1:9";
    manager_ = Manager::New(runtime_.env(), config,
                            {.metrics_bind_address = "127.0.0.1:0",
                             .metrics = metrics_,
                             .health_probe_bind_address = "127.0.0.1:0"})
                   .OrExit();
  }
  ~ManagerEndpoints() override { Stop(); }

  void Start() {
    thread_ = std::thread([this] { EXPECT_TRUE(manager_->Start(stop_.get_token()).ok()); });
    EXPECT_TRUE(manager_->WaitUntilElected({}).ok());
  }
  void Stop() {
    stop_.request_stop();
    if (thread_.joinable()) thread_.join();
  }
  // Over a connection of its own.
  std::string Get(std::uint16_t port, const std::string& target) {
    auto transport =
        NewHttpTransport(runtime_.env(), {.base_url = "http://127.0.0.1:" + std::to_string(port)})
            .OrExit();
    Asked asked;
    std::future<std::string> done = asked.Future();
    std::unique_ptr<HttpCall> call;
    OnLoop([&] { call = transport->Start({.target = target}, asked); });
    std::string text = done.get();
    OnLoop([&] { call.reset(); });
    return text;
  }
  void OnLoop(const std::function<void()>& work) {
    std::promise<void> done;
    runtime_.env().loop().Post([&] {
      work();
      done.set_value();
    });
    done.get_future().get();
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Runtime runtime_{{.metrics = metrics_}};
  std::unique_ptr<Manager> manager_;
  std::stop_source stop_;
  std::thread thread_;
};

TEST_F(ManagerEndpoints, MG_12_MetricsAndWhatTheProgramServesBesideThem) {
  metrics_->NewCounter("test_one", "test metric for testing", {})->Add();
  const auto debug = std::make_shared<TextHandler>("Some debug info");
  EXPECT_TRUE(manager_->AddMetricsServerExtraHandler("/debug", debug).ok());
  EXPECT_EQ(manager_->AddMetricsServerExtraHandler("/debug", debug).error().reason(),
            Reason::kAlreadyExists);
  EXPECT_EQ(manager_->AddMetricsServerExtraHandler("/metrics", debug).error().reason(),
            Reason::kAlreadyExists);
  EXPECT_EQ(manager_->AddMetricsServerExtraHandler("debug", debug).error().reason(),
            Reason::kInvalidArgument);
  Start();
  const std::uint16_t port = manager_->metrics_port();
  EXPECT_THAT(Get(port, "/metrics"),
              HasSubstr("# HELP test_one test metric for testing\n# TYPE test_one counter\n"
                        "test_one 1\n"));
  EXPECT_EQ(Get(port, "/debug"), "200 Some debug info");
  EXPECT_THAT(Get(port, "/should-not-exist"), HasSubstr("404"));
  EXPECT_EQ(manager_->AddMetricsServerExtraHandler("/late", debug).error().reason(),
            Reason::kInvalidArgument);
  Stop();
  EXPECT_THAT(Get(port, "/metrics"), HasSubstr("ConnectionRefused"));
}

TEST_F(ManagerEndpoints, MG_12_ChecksAreServedOneByOneAndTogether) {
  std::atomic<bool> ready{false};
  std::atomic<bool> alive{false};
  const auto check = [](std::atomic<bool>& well) {
    return [&well]() -> Result<void> {
      if (well) return {};
      return Error(Reason::kNotSynced, "not yet");
    };
  };
  EXPECT_TRUE(manager_->AddReadyzCheck("check", check(ready)).ok());
  EXPECT_EQ(manager_->AddReadyzCheck("check", check(ready)).error().reason(),
            Reason::kAlreadyExists);
  EXPECT_TRUE(manager_->AddHealthzCheck("check", check(alive)).ok());
  Start();
  const std::uint16_t port = manager_->health_probe_port();
  EXPECT_THAT(Get(port, "/readyz"), HasSubstr("500 [-]check failed"));
  EXPECT_THAT(Get(port, "/healthz"), HasSubstr("500 [-]check failed"));
  ready = true;
  EXPECT_EQ(Get(port, "/readyz"), "200 ok");
  EXPECT_EQ(Get(port, "/readyz/check"), "200 ok");
  EXPECT_THAT(Get(port, "/healthz"), HasSubstr("500 "));
  alive = true;
  EXPECT_EQ(Get(port, "/healthz"), "200 ok");
  EXPECT_EQ(Get(port, "/healthz/check"), "200 ok");
  EXPECT_EQ(manager_->AddReadyzCheck("late", check(ready)).error().reason(),
            Reason::kInvalidArgument);
  Stop();
  EXPECT_THAT(Get(port, "/readyz"), HasSubstr("ConnectionRefused"));
}

TEST_F(ManagerEndpoints, MG_12_AnAddressInUseIsAnErrorOfNew) {
  const std::string taken = "127.0.0.1:" + std::to_string(manager_->metrics_port());
  const Config config = [] {
    Config nowhere;
    nowhere.host = "http://127.0.0.1:9";
    return nowhere;
  }();
  const auto metrics = Manager::New(runtime_.env(), config,
                                    {.metrics_bind_address = taken, .metrics = NewTextMetrics()});
  EXPECT_THAT(metrics.error().message(), HasSubstr("ManagerOptions::metrics_bind_address"));
  const auto probes = Manager::New(runtime_.env(), config, {.health_probe_bind_address = taken});
  EXPECT_THAT(probes.error().message(), HasSubstr("ManagerOptions::health_probe_bind_address"));
}

}  // namespace
}  // namespace kinformer::testing
