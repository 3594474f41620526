// Ports of a manager, with the embedded API server on a socket: metrics, health checks, webhooks
// with their certificates; also the destination of its events.

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/api/admissionregistrationv1.h"
#include "kinformer/api/admissionregistrationv1_mutable.h"
#include "kinformer/api/authenticationv1_mutable.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/client/client.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/manager.h"

#include "controller/certificates/folder_for_test.h"
#include "integration/embedded_server.h"
#include "transport/one_request_for_test.h"

namespace kinformer::testing {
namespace {

using admissionregistrationv1::MutatingWebhookConfiguration;
using admissionregistrationv1::ValidatingWebhookConfiguration;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

// Refuses ConfigMaps whose data asks for it.
class MapValidator : public admission::Validator<corev1::ConfigMap> {
 public:
  Result<void> ValidateCreate(const admission::Request&, const corev1::ConfigMap& map,
                              admission::Warnings&) override {
    if (map.data().Find("bad")) return Error(Reason::kForbidden, "there is something bad in it");
    return {};
  }
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

class ManagerServersTest : public ::testing::Test {
 protected:
  ~ManagerServersTest() override { static_cast<void>(Stop().ok()); }

  // Returns options with everything on free local ports.
  static ManagerOptions Options() {
    return {.metrics_bind_address = "127.0.0.1:0",
            .health_probe_bind_address = "127.0.0.1:0",
            .webhook = {.address = "127.0.0.1", .port = 0}};
  }
  static WebhookCertificatesOptions Certificates() {
    return {.namespace_ = "default",
            .secret_name = "hooks-tls",
            .hosts = {"127.0.0.1"},
            .mutating = {"maps"},
            .validating = {"maps"},
            .check_interval = milliseconds(20),
            .retry_interval = milliseconds(20)};
  }
  void New(ManagerOptions options) {
    manager_ = Manager::New(server_.ClientConfig(), std::move(options)).OrExit();
  }
  void Start() {
    thread_ = std::thread([this] { ended_ = manager_->Start(stop_.get_token()); });
  }
  // Does so, and waits until everything runs: before, handlers are not found.
  void StartAndServe() {
    Start();
    ASSERT_TRUE(manager_->WaitUntilElected({}).ok());
  }
  Result<void> Stop() {
    stop_.request_stop();
    if (thread_.joinable()) thread_.join();
    return ended_;
  }

  // Returns "200 ok", or the error. Uses a new connection each time.
  std::string Get(const std::string& base_url, const std::string& target,
                  const std::string& token = "") {
    const HttpTransportOptions options{.base_url = base_url, .tls = {.insecure_skip_verify = true}};
    HttpRequest request{.method = "GET", .target = target};
    if (!token.empty()) request.headers.Add("Authorization", "Bearer " + token);
    return OneRequest(runtime_.env(), options, std::move(request));
  }
  std::string Probe(const std::string& target) {
    return Get("http://127.0.0.1:" + std::to_string(manager_->health_probe_port()), target);
  }
  std::string OfMetricsPort(const std::string& scheme, const std::string& target,
                            const std::string& token = "") {
    return Get(scheme + "://127.0.0.1:" + std::to_string(manager_->metrics_port()), target, token);
  }
  std::string Metrics(const std::string& scheme, const std::string& token = "") {
    return OfMetricsPort(scheme, "/metrics", token);
  }

  // Makes a ServiceAccount and returns a token for it.
  [[nodiscard]] std::string TokenOf(const std::string& account) const {
    corev1::ServiceAccount::Mutable made;
    made.metadata.namespace_ = "default";
    made.metadata.name = account;
    const DelegatingClient& client = manager_->GetClient();
    EXPECT_TRUE(client.Create(made).ok());
    const auto token = client.SubResource("token")
                           .Create<corev1::ServiceAccount>(
                               {"default", account}, authenticationv1::TokenRequest::Mutable{})
                           .OrExit();
    return std::string(token->status().token());
  }

  // Configures webhooks for ConfigMaps at that port. Without `ca_pem` no authority is trusted.
  void MakeConfigurations(std::uint16_t port, const std::string& ca_pem = "") {
    const auto fill = [&](auto& configuration, const std::string& path) {
      configuration.metadata.name = "maps";
      auto& webhook = configuration.webhooks.emplace_back();
      webhook.name = "maps.example.com";
      webhook.sideEffects = "None";
      webhook.admissionReviewVersions = {"v1"};
      webhook.clientConfig.url = "https://127.0.0.1:" + std::to_string(port) + path;
      webhook.clientConfig.caBundle = ca_pem;
      auto& rule = webhook.rules.emplace_back();
      rule.operations = {"CREATE"};
      rule.apiGroups = {""};
      rule.apiVersions = {"v1"};
      rule.resources = {"configmaps"};
    };
    MutatingWebhookConfiguration::Mutable mutating;
    fill(mutating, "/mutate--v1-configmap");
    ASSERT_TRUE(client_.For<MutatingWebhookConfiguration>().Create(mutating).ok());
    ValidatingWebhookConfiguration::Mutable validating;
    fill(validating, "/validate--v1-configmap");
    ASSERT_TRUE(client_.For<ValidatingWebhookConfiguration>().Create(validating).ok());
  }
  [[nodiscard]] std::string Bundle() const {
    const auto there = client_.For<MutatingWebhookConfiguration>().Get("maps").OrExit();
    return std::string(there->webhooks()[0].clientConfig().caBundle());
  }
  void RegisterWebhooks() const {
    WebhookServer& webhooks = manager_->GetWebhookServer();
    webhooks.RegisterValidator<corev1::ConfigMap>(std::make_shared<MapValidator>()).OrExit();
    webhooks
        .RegisterDefaulter<corev1::ConfigMap>(
            [](const admission::Request&, corev1::ConfigMap::Mutable& map) -> Result<void> {
              map.metadata.labels.try_emplace("tier", "back");
              return {};
            })
        .OrExit();
  }
  // Returns the label that the defaulter gave to a new ConfigMap, or the error.
  std::string Made(const std::string& key = "good") {
    corev1::ConfigMap::Mutable map;
    map.metadata.name = "m" + std::to_string(made_++);
    map.data[key] = "1";
    const auto made = client_.For<corev1::ConfigMap>("default").Create(map);
    if (!made) return made.error().ToString();
    return std::string((*made)->metadata().labels().Find("tier").value_or("none"));
  }

  EmbeddedServer server_{};
  Runtime runtime_{};
  const Client client_ = Client::NewForConfig(runtime_.env(), server_.ClientConfig()).OrExit();
  std::unique_ptr<Manager> manager_{};
  std::stop_source stop_{};
  std::thread thread_{};
  Result<void> ended_{};
  int made_ = 0;
};

TEST_F(ManagerServersTest, PageShowsInformersAndControllers_ToClientsOfThisMachine) {
  New(Options());
  auto pods = manager_->GetCache().InformerFor<corev1::Pod>();
  StartAndServe();
  ASSERT_TRUE(pods.HasSynced());
  EXPECT_THAT(OfMetricsPort("http", "/debug/kinformer"), ::testing::StartsWith("200 <!doctype"));
  const std::string state = OfMetricsPort("http", "/debug/kinformer/state.json");
  EXPECT_THAT(state, HasSubstr(R"("name":"pods")"));
  EXPECT_THAT(state, HasSubstr(R"("synced":true)"));
  EXPECT_THAT(state, HasSubstr(R"("elected":)"));
}

TEST_F(ManagerServersTest, PageNeedsTheTokenOfTheMetrics) {
  ManagerOptions options = Options();
  options.metrics_access = MetricsAccess::kToken;
  options.metrics_token = "secret";
  New(std::move(options));
  StartAndServe();
  EXPECT_THAT(OfMetricsPort("https", "/debug/kinformer/state.json"), ::testing::StartsWith("401 "));
  EXPECT_THAT(OfMetricsPort("https", "/debug/kinformer/state.json", "secret"),
              ::testing::StartsWith("200 {"));
}

TEST_F(ManagerServersTest, PageThatIsSwitchedOff_IsNotThere) {
  ManagerOptions options = Options();
  options.debug_page = false;
  New(std::move(options));
  StartAndServe();
  EXPECT_THAT(OfMetricsPort("http", "/debug/kinformer"), ::testing::StartsWith("404 "));
}

TEST_F(ManagerServersTest, ChecksAndMetricsAreServedFromStartToStop_MG12) {
  New(Options());
  std::atomic<bool> well = true;
  std::atomic<bool> alive = true;
  ASSERT_TRUE(manager_
                  ->AddHealthzCheck("paper",
                                    [&] {
                                      return alive ? Result<void>()
                                                   : Error(Reason::kNotSynced, "out of paper");
                                    })
                  .ok());
  ASSERT_TRUE(manager_
                  ->AddReadyzCheck("ink",
                                   [&] {
                                     return well ? Result<void>()
                                                 : Error(Reason::kNotSynced, "out of ink");
                                   })
                  .ok());
  EXPECT_EQ(manager_->AddReadyzCheck("ink", healthz::Ping).error().reason(),
            Reason::kAlreadyExists);
  ASSERT_NE(manager_->metrics_port(), 0);
  ASSERT_NE(manager_->health_probe_port(), 0);
  EXPECT_THAT(Probe("/readyz"), HasSubstr("404 ")) << "it does not run yet";
  Start();
  ASSERT_TRUE(manager_->WaitUntilElected({}).ok());
  EXPECT_EQ(Probe("/healthz"), "200 ok");
  EXPECT_THAT(Probe("/healthz?verbose"), HasSubstr("[+]paper ok"));
  EXPECT_EQ(Probe("/readyz"), "200 ok");
  well = false;
  EXPECT_THAT(Probe("/readyz"), HasSubstr("500 "));
  EXPECT_THAT(Probe("/readyz/ink"), HasSubstr("500 internal server error: out of ink"));
  EXPECT_EQ(Probe("/healthz"), "200 ok");
  EXPECT_EQ(Probe("/healthz/paper"), "200 ok");
  alive = false;
  EXPECT_THAT(Probe("/healthz"), HasSubstr("500 [-]paper failed"));
  well = true;
  EXPECT_EQ(Probe("/readyz"), "200 ok");
  EXPECT_EQ(Probe("/readyz/ink"), "200 ok");
  EXPECT_THAT(Metrics("http"), HasSubstr("200 # HELP "));
  EXPECT_EQ(manager_->AddHealthzCheck("late", healthz::Ping).error().reason(),
            Reason::kInvalidArgument);
  EXPECT_EQ(manager_->webhook_port(), 0) << "nobody has asked for webhooks";
  EXPECT_TRUE(Stop().ok());
  EXPECT_THAT(Probe("/healthz"), HasSubstr("ConnectionRefused"));
  EXPECT_THAT(Metrics("http"), HasSubstr("ConnectionRefused"));
}

TEST_F(ManagerServersTest, MetricsServer_ServesExtraHandlers_MG12) {
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  metrics->NewCounter("test_one", "test metric for testing", {})->Add();
  ManagerOptions options = Options();
  options.metrics = metrics;
  New(std::move(options));
  const auto debug = std::make_shared<TextHandler>("Some debug info");
  EXPECT_TRUE(manager_->AddMetricsServerExtraHandler("/debug", debug).ok());
  const auto refused = [&](const std::string& path) {
    return manager_->AddMetricsServerExtraHandler(path, debug).error().reason();
  };
  EXPECT_EQ(refused("/debug"), Reason::kAlreadyExists);
  EXPECT_EQ(refused("/metrics"), Reason::kAlreadyExists);
  EXPECT_EQ(refused("debug"), Reason::kInvalidArgument);
  Start();
  ASSERT_TRUE(manager_->WaitUntilElected({}).ok());
  EXPECT_THAT(Metrics("http"), HasSubstr("# HELP test_one test metric for testing\n"
                                         "# TYPE test_one counter\ntest_one 1\n"));
  EXPECT_EQ(OfMetricsPort("http", "/debug"), "200 Some debug info");
  EXPECT_THAT(OfMetricsPort("http", "/should-not-exist"), HasSubstr("404"));
  EXPECT_EQ(refused("/late"), Reason::kInvalidArgument);
}

TEST_F(ManagerServersTest, MetricsWithToken_RefuseOtherTokens) {
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  metrics->NewCounter("made_by_the_test", "", {})->Add();
  ManagerOptions options = Options();
  options.metrics = metrics;
  options.metrics_access = MetricsAccess::kToken;
  options.metrics_token = "open sesame";
  New(std::move(options));
  Start();
  ASSERT_TRUE(manager_->WaitUntilElected({}).ok());
  EXPECT_THAT(Metrics("https"), HasSubstr("401 "));
  const std::string refused = Metrics("https", "open barley");
  EXPECT_THAT(refused, HasSubstr("401 "));
  EXPECT_THAT(refused, Not(HasSubstr("sesame")));
  EXPECT_THAT(Metrics("https", "open sesame"), HasSubstr("made_by_the_test 1"));
}

TEST_F(ManagerServersTest, MetricsAreForThoseThatTheServerLetsIn_MG12) {
  ManagerOptions options = Options();
  options.metrics_access = MetricsAccess::kAuthorized;
  New(std::move(options));
  Start();
  ASSERT_TRUE(manager_->WaitUntilElected({}).ok());
  EXPECT_THAT(Metrics("http"), Not(HasSubstr("200 "))) << "tokens do not go over the wire in clear";
  EXPECT_EQ(Metrics("https"), "401 Unauthorized\n");
  EXPECT_EQ(Metrics("https", "nonsense"), "401 Unauthorized\n");
  const std::string token = TokenOf("scraper");
  EXPECT_THAT(Metrics("https", token), HasSubstr("200 # HELP "));
  // The embedded server has no rules, so everything is allowed.
  server_.AnswerWith([](const HttpRequest& request) -> std::optional<ScriptedResponse> {
    if (request.target.find("/subjectaccessreviews") == std::string::npos) return std::nullopt;
    return Json(R"({"kind":"SubjectAccessReview","apiVersion":"authorization.k8s.io/v1",
                    "metadata":{},"spec":{},"status":{"allowed":false}})",
                201);
  });
  EXPECT_EQ(Metrics("https", TokenOf("other")),
            "403 Authorization denied for user system:serviceaccount:default:other\n");
}

TEST_F(ManagerServersTest, AnAddressInUseIsAnErrorThatSaysWhatToDo_MG12) {
  New(Options());
  const auto second = [&](ManagerOptions options) {
    return Manager::New(server_.ClientConfig(), std::move(options)).error();
  };
  ManagerOptions metrics = Options();
  metrics.metrics_bind_address = "127.0.0.1:" + std::to_string(manager_->metrics_port());
  const Error of_metrics = second(metrics);
  EXPECT_EQ(of_metrics.reason(), Reason::kTransport);
  EXPECT_THAT(of_metrics.message(), HasSubstr("ManagerOptions::metrics_bind_address: "));
  EXPECT_THAT(of_metrics.message(), HasSubstr("give another address, or \"0\" for none"));
  ManagerOptions probes = Options();
  probes.health_probe_bind_address = "127.0.0.1:" + std::to_string(manager_->health_probe_port());
  EXPECT_THAT(second(probes).message(), HasSubstr("ManagerOptions::health_probe_bind_address: "));

  ManagerOptions webhooks = Options();
  webhooks.webhook.port = manager_->metrics_port();
  const CertificateFolder folder;
  folder.Write(CertificateFolder().Make());
  webhooks.webhook.cert_dir = folder.path();
  const std::unique_ptr<Manager> first = std::exchange(manager_, nullptr);
  New(std::move(webhooks));
  static_cast<void>(manager_->GetWebhookServer());
  const Result<void> ended = manager_->Start({});
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().reason(), Reason::kTransport);
  EXPECT_THAT(ended.error().message(), HasSubstr("ManagerOptions::webhook: "));
  EXPECT_THAT(ended.error().message(), HasSubstr("another port"));
}

TEST_F(ManagerServersTest, WebhooksAreAskedOverTlsUntilItStops_MG12) {
  CertificateFolder folder;
  folder.Write(folder.Make());
  ManagerOptions options = Options();
  options.webhook.cert_dir = folder.path();
  New(std::move(options));
  RegisterWebhooks();
  EXPECT_EQ(manager_->webhook_port(), 0) << "it does not run yet";
  Start();
  ASSERT_TRUE(manager_->WaitUntilElected({}).ok());
  EXPECT_EQ(Probe("/readyz/webhook-server"), "200 ok");
  const std::uint16_t port = manager_->webhook_port();
  ASSERT_NE(port, 0);
  MakeConfigurations(port, folder.ca_pem());
  EXPECT_EQ(Made(), "back");
  EXPECT_THAT(Made("bad"), HasSubstr("admission webhook \"maps.example.com\" denied the request: "
                                     "there is something bad in it"));
  EXPECT_THAT(Metrics("http"), HasSubstr("controller_runtime_webhook_requests_total{"
                                         "webhook=\"/mutate--v1-configmap\",code=\"200\"} 2\n"));
  EXPECT_TRUE(Stop().ok());
  EXPECT_EQ(manager_->webhook_port(), 0);
  EXPECT_THAT(Get("https://127.0.0.1:" + std::to_string(port), "/"),
              HasSubstr("ConnectionRefused"));
  EXPECT_THAT(Made(), HasSubstr("failed calling webhook \"maps.example.com\""));
}

TEST_F(ManagerServersTest, CertificatesOfASecretAreMadeTrustedAndRenewed) {
  ManagerOptions options = Options();
  options.webhook_certificates = Certificates();
  New(std::move(options));
  RegisterWebhooks();
  std::atomic<bool> denied = true;
  server_.AnswerWith([&](const HttpRequest& request) -> std::optional<ScriptedResponse> {
    if (!denied || request.target.find("/secrets") == std::string::npos) return std::nullopt;
    return Json(R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden",
                    "message":"no secrets for you","code":403})",
                403);
  });
  Start();
  ASSERT_TRUE(Eventually([&] { return Probe("/healthz") == "200 ok"; }));
  EXPECT_EQ(Probe("/readyz/webhook-server"),
            "500 internal server error: the webhooks do not listen: there is no certificate yet\n");
  EXPECT_FALSE(manager_->Elected()) << "caches may need conversions";
  EXPECT_EQ(manager_->webhook_port(), 0);
  denied = false;
  ASSERT_TRUE(manager_->WaitUntilElected({}).ok());
  EXPECT_EQ(Probe("/readyz"), "200 ok");
  // Configurations that are created later must get the certificate authority too.
  MakeConfigurations(manager_->webhook_port());
  ASSERT_TRUE(Eventually([&] { return Made() == "back"; }));
  EXPECT_THAT(Made("bad"), HasSubstr("there is something bad in it"));
  // All certificates are made again, and the next connection gets the new one.
  const std::string bundle = Bundle();
  EXPECT_THAT(bundle, HasSubstr("BEGIN CERTIFICATE"));
  const std::uint16_t port = manager_->webhook_port();
  ASSERT_TRUE(client_.For<corev1::Secret>("default").Delete("hooks-tls").ok());
  ASSERT_TRUE(Eventually([&] { return Bundle() != bundle; }));
  ASSERT_TRUE(Eventually([&] { return Made() == "back"; }));
  EXPECT_EQ(manager_->webhook_port(), port);
  EXPECT_TRUE(Stop().ok());
}

TEST_F(ManagerServersTest, CertificatesThatCannotBeMadeAreSaidAtOnce) {
  ManagerOptions options = Options();
  options.webhook_certificates = Certificates();
  options.webhook_certificates->hosts.clear();
  const auto none = Manager::New(server_.ClientConfig(), std::move(options));
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().reason(), Reason::kInvalidArgument);
  EXPECT_THAT(none.error().message(), HasSubstr("ManagerOptions::webhook_certificates: "
                                                "WebhookCertificatesOptions::hosts is empty"));
}

TEST_F(ManagerServersTest, AServerThatSaysNothingDoesNotHoldUpTheEnd) {
  ManagerOptions options = Options();
  options.webhook_certificates = Certificates();
  New(std::move(options));
  RegisterWebhooks();
  std::promise<void> asked;
  bool first = true;
  server_.AnswerWith([&](const HttpRequest& request) -> std::optional<ScriptedResponse> {
    if (request.target.find("/secrets") == std::string::npos) return std::nullopt;
    if (std::exchange(first, false)) asked.set_value();
    return ScriptedResponse{.hang = true};
  });
  Start();
  asked.get_future().wait();
  EXPECT_TRUE(Stop().ok()) << "it would name who does not end";
}

TEST_F(ManagerServersTest, EventsOfTheLastMomentAreSent) {
  New(Options());
  const std::shared_ptr<EventRecorder> events = manager_->GetEventRecorderFor("printer");
  Start();
  ASSERT_TRUE(manager_->WaitUntilElected({}).ok());
  corev1::ObjectReferenceMutable about;
  about.apiVersion = "v1";
  about.kind = "ConfigMap";
  about.namespace_ = "default";
  about.name = "settings";
  events->Event(about, kEventTypeNormal, "Printed", "two pages");
  EXPECT_TRUE(Stop().ok());
  const auto sent = client_.For<corev1::Event>("default").List().OrExit();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].message(), "two pages");
  EXPECT_EQ(sent[0].source().component(), "printer");
}

}  // namespace
}  // namespace kinformer::testing
