// Each function of a program that a server on a socket calls stops the manager, or shuts down what
// listens. It is answered or cut off, and nothing hangs.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/controller/manager.h"
#include "kinformer/endpoints/healthz.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/webhook/webhook_listener.h"
#include "kinformer/webhook/webhook_server.h"

#include "controller/certificates/folder_for_test.h"
#include "integration/embedded_server.h"
#include "integration/ending_place.h"
#include "integration/raw_http.h"

namespace kinformer::testing {
namespace {

using std::chrono::milliseconds;

class OwnMetrics final : public TextMetrics {
 public:
  explicit OwnMetrics(EndingPlace& place) : place_(place) {}
  std::shared_ptr<Counter> NewCounter(std::string_view name, std::string_view help,
                                      MetricLabels labels) override {
    return inner_->NewCounter(name, help, labels);
  }
  std::shared_ptr<Gauge> NewGauge(std::string_view name, std::string_view help,
                                  MetricLabels labels) override {
    return inner_->NewGauge(name, help, labels);
  }
  std::shared_ptr<Histogram> NewHistogram(std::string_view name, std::string_view help,
                                          MetricLabels labels) override {
    return inner_->NewHistogram(name, help, labels);
  }
  [[nodiscard]] std::string Text() const override {
    place_.Reach("MetricsText");
    return inner_->Text();
  }

 private:
  EndingPlace& place_;
  const std::unique_ptr<TextMetrics> inner_ = NewTextMetrics();
};

// Waits once, and is cut off in the end if the path asks for it.
class OwnStream final : public ResponseStream {
 public:
  OwnStream(EndingPlace& place, bool cut) : place_(place), cut_(cut) {}
  [[nodiscard]] bool ready() const override {
    place_.Reach("Ready");
    return true;
  }
  [[nodiscard]] int status() const override {
    place_.Reach("Status");
    return 200;
  }
  [[nodiscard]] const HttpHeaders& headers() const override {
    place_.Reach("Headers");
    return headers_;
  }
  State Read(std::size_t, std::vector<BodyChunk>& out) override {
    place_.Reach("Read");
    if (++reads_ == 1) {
      wake_();
      return State::kWait;
    }
    out.push_back(BodyChunk::Of(std::string(1000, 'x')));
    if (reads_ < 3) return State::kMore;
    return cut_ ? State::kAbort : State::kEnd;
  }
  void SetWake(std::function<void()> wake) override {
    place_.Reach("SetWake");
    wake_ = std::move(wake);
  }
  [[nodiscard]] bool resumes_soon() const override {
    place_.Reach("ResumesSoon");
    return false;
  }
  [[nodiscard]] ConnectionEffect effect() const override {
    place_.Reach("Effect");
    return {};
  }

 private:
  EndingPlace& place_;
  const bool cut_;
  HttpHeaders headers_{};
  std::function<void()> wake_{};
  int reads_ = 0;
};

class OwnHandler final : public Handler {
 public:
  explicit OwnHandler(EndingPlace& place) : place_(place) {}
  std::unique_ptr<ResponseStream> Handle(HttpRequest) override {
    place_.Reach("Handle");
    return std::make_unique<OwnStream>(place_, place_.Is("Effect"));
  }

 private:
  EndingPlace& place_;
};

class StopFromEndpoint : public ::testing::TestWithParam<const char*> {};

TEST_P(StopFromEndpoint, TheManagerAndItsServersEnd) {
  EndingPlace place(GetParam());
  const auto metrics = std::make_shared<OwnMetrics>(place);
  Runtime runtime({.log = NewNullLog(), .metrics = metrics});
  ApiServer server(runtime);
  const auto manager = Manager::New(Client::ForTransport(runtime.env(), server.transport()),
                                    {.metrics_bind_address = "127.0.0.1:0",
                                     .metrics = metrics,
                                     .health_probe_bind_address = "127.0.0.1:0",
                                     .serve_webhooks = false})
                           .OrExit();
  manager
      ->AddHealthzCheck("own",
                        [&place]() -> Result<void> {
                          place.Reach("HealthCheck");
                          return {};
                        })
      .OrExit();
  manager->AddMetricsServerExtraHandler("/own", std::make_shared<OwnHandler>(place)).OrExit();
  std::stop_source stop;
  place.Arm([&] { stop.request_stop(); });
  auto ended = std::async(std::launch::async, [&] { return manager->Start(stop.get_token()); });

  std::uint16_t port = manager->metrics_port();
  std::string path = "/own";
  if (place.Is("HealthCheck")) {
    port = manager->health_probe_port();
    path = "/healthz";
  } else if (place.Is("MetricsText")) {
    path = "/metrics";
  }
  ASSERT_TRUE(Eventually([&] {
    static_cast<void>(Exchange(port, RequestText("GET", path)));
    return place.ended();
  })) << place.reached();
  EXPECT_TRUE(ended.get().ok());
}

INSTANTIATE_TEST_SUITE_P(All, StopFromEndpoint,
                         ::testing::Values("HealthCheck", "MetricsText", "Handle", "Ready",
                                           "Status", "Headers", "Read", "SetWake", "ResumesSoon",
                                           "Effect"),
                         [](const auto& test) { return std::string(test.param); });

// ---- what sends requests over sockets

class OwnReceiver final : public ResponseReceiver {
 public:
  explicit OwnReceiver(EndingPlace& place) : place_(place) {}
  void OnHeaders(int, const HttpHeaders&) override { place_.Reach("OnHeaders"); }
  void OnData(std::string_view) override { place_.Reach("OnData"); }
  void OnDone(Result<void>) override {
    place_.Reach("OnDone");
    ++done;
  }
  std::atomic<int> done{0};

 private:
  EndingPlace& place_;
};

class OwnSource final : public CredentialSource {
 public:
  explicit OwnSource(EndingPlace& place) : place_(place) {}
  void Fetch(Env&, std::function<void(Result<Credentials>)> done) override {
    place_.Reach("Fetch");
    done(Credentials{.authorization = "Bearer t"});
  }
  void Rejected(const std::string&) override { place_.Reach("Rejected"); }
  [[nodiscard]] bool CanRefresh() const override { return true; }

 private:
  EndingPlace& place_;
};

// Runs `work` on the loop and waits for it.
void OnLoop(Env& env, const std::function<void()>& work) {
  std::promise<void> done;
  env.loop().Post([&] {
    work();
    done.set_value();
  });
  done.get_future().wait();
}

class OverASocket : public ::testing::TestWithParam<const char*> {
 protected:
  EmbeddedServer server_{{.tls = false, .bearer_token = "another"}};
  const std::string url_ = "http://127.0.0.1:" + std::to_string(server_.port());
};

class StopFromTransport : public OverASocket {};

TEST_P(StopFromTransport, ATransportMayGoAndItsReceiverIsToldTheEndOnce) {
  EndingPlace place(GetParam());
  Runtime runtime({.log = NewNullLog()});
  OwnReceiver receiver(place);
  std::unique_ptr<Transport> transport =
      NewHttpTransport(runtime.env(), {.base_url = url_}).OrExit();
  std::unique_ptr<HttpCall> call;
  place.Arm([&] {
    transport.reset();
    // A receiver may destroy its call at the end only.
    if (place.Is("OnDone")) call.reset();
  });
  OnLoop(runtime.env(), [&] { call = transport->Start({.target = "/version"}, receiver); });
  EXPECT_TRUE(Eventually([&] { return place.ended() && receiver.done > 0; })) << place.reached();
  OnLoop(runtime.env(), [&] { call.reset(); });
  EXPECT_EQ(receiver.done, 1);
}

INSTANTIATE_TEST_SUITE_P(All, StopFromTransport, ::testing::Values("OnHeaders", "OnData", "OnDone"),
                         [](const auto& test) { return std::string(test.param); });

class StopFromCredentials : public OverASocket {};

// The server refuses the token, so that the source hears of it.
TEST_P(StopFromCredentials, TheClientAndItsInformersMayGo) {
  EndingPlace place(GetParam());
  Runtime runtime({.log = NewNullLog()});
  std::optional<Client> client;
  client.emplace(Client::ForTransport(
      runtime.env(),
      NewHttpTransport(runtime.env(),
                       {.base_url = url_, .credentials = std::make_shared<OwnSource>(place)})
          .OrExit()));
  auto factory = std::make_unique<SharedInformerFactory>(*client);
  std::optional<SharedInformer<corev1::ConfigMap>> informer =
      factory->InformerFor<corev1::ConfigMap>();
  std::stop_source stop;
  place.Arm([&] {
    stop.request_stop();
    factory.reset();
    informer.reset();
    client.reset();
  });
  // Requests begin with Start, so nothing ends the factory before.
  const Client copy = *client;
  factory->Start();
  auto called =
      std::async(std::launch::async, [copy, call = CallOptions{.stop = stop.get_token()}] {
        return copy.GetRaw("/version", call);
      });
  EXPECT_TRUE(Eventually([&] { return place.ended(); })) << place.reached();
  const Result<std::string> outcome = called.get();
  ASSERT_FALSE(outcome.ok());
  EXPECT_TRUE(outcome.error().reason() == Reason::kCanceled || IsUnauthorized(outcome.error()))
      << outcome.error();
}

INSTANTIATE_TEST_SUITE_P(All, StopFromCredentials, ::testing::Values("Fetch", "Rejected"),
                         [](const auto& test) { return std::string(test.param); });

// ---- webhooks

// The handler's own request is one of those that the end waits for.
TEST(StopFromWebhookListener, AHandlerShutsItDown) {
  Runtime runtime({.log = NewNullLog()});
  CertificateFolder folder;
  EndingPlace place("Handler");
  WebhookServer webhooks(runtime.env());
  webhooks
      .Register("/ask",
                [&](const admission::Request&) {
                  place.Reach("Handler");
                  return admission::Allowed("");
                })
      .OrExit();
  auto listener =
      WebhookListener::Listen(runtime.env(), webhooks,
                              {.address = "127.0.0.1", .port = 0, .certificate = folder.Make()})
          .OrExit();
  const std::uint16_t port = listener->port();
  place.Arm([&] { listener->Shutdown(milliseconds(10)); });
  OwnReceiver receiver(place);
  std::unique_ptr<Transport> transport =
      NewHttpTransport(runtime.env(), {.base_url = "https://127.0.0.1:" + std::to_string(port),
                                       .tls = {.ca_pem = folder.ca_pem()}})
          .OrExit();
  std::unique_ptr<HttpCall> call;
  OnLoop(runtime.env(), [&] {
    HttpRequest request{.method = "POST", .target = "/ask"};
    request.headers.Add("Content-Type", "application/json");
    request.body = R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",
                       "request":{"uid":"u","operation":"DELETE"}})";
    call = transport->Start(std::move(request), receiver);
  });
  EXPECT_TRUE(Eventually([&] { return place.ended() && receiver.done > 0; })) << place.reached();
  OnLoop(runtime.env(), [&] { call.reset(); });
  listener.reset();
}

}  // namespace
}  // namespace kinformer::testing
