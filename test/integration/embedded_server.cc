#include "integration/embedded_server.h"

#include <gtest/gtest.h>
#include <thread>
#include <utility>

#include "kinformer/apiserver/webhook_network.h"
#include "kinformer/base/log.h"
#include "kinformer/json/json.h"

namespace kinformer::testing {

// Answers some requests itself and passes the others on to the API server. Loop-confined.
class EmbeddedServer::Front final : public Handler {
 public:
  explicit Front(Handler& server) : server_(server) {}

  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    if (answer) {
      if (std::optional<ScriptedResponse> response = answer(request)) {
        scripted_.requests.clear();
        scripted_.script.push_back(*std::move(response));
        return scripted_.Handle(std::move(request));
      }
    }
    return server_.Handle(std::move(request));
  }

  Answer answer{};

 private:
  Handler& server_;
  ScriptedServer scripted_;
};

EmbeddedServer::EmbeddedServer(EmbeddedServerOptions options) : options_(std::move(options)) {
  runtime_ = std::make_unique<Runtime>(RuntimeOptions{
      .name = "test-server",
      .log = options_.log != nullptr ? options_.log : std::shared_ptr<LogSink>(NewNullLog())});
  authority_ = std::make_unique<internal::x509::TlsAuthority>(
      internal::x509::TlsAuthority::Make("integration ca", runtime_->env().WallNow()).OrExit());
  certificate_ = MakeCertificate();
  std::promise<void> made;
  runtime_->env().loop().Post([&] {
    apiserver::ApiServerOptions api = options_.api;
    if (!api.webhook_transport) api.webhook_transport = apiserver::WebhookNetwork(runtime_->env());
    api_ = std::make_unique<apiserver::ApiServer>(runtime_->env(), std::move(api));
    front_ = std::make_unique<Front>(*api_);
    made.set_value();
  });
  made.get_future().get();
  Start();
}

EmbeddedServer::~EmbeddedServer() {
  Stop();
  std::promise<void> gone;
  runtime_->env().loop().Post([&] {
    front_.reset();
    api_.reset();
    gone.set_value();
  });
  gone.get_future().get();
}

CertificatePair EmbeddedServer::MakeCertificate() {
  return authority_->ServerCertificate({"127.0.0.1"}).OrExit();
}

Config EmbeddedServer::ClientConfig() const {
  Config config;
  config.host = (options_.tls ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port_);
  config.namespace_ = "default";
  if (options_.tls) config.tls.ca_data = ca_pem();
  config.bearer_token = options_.bearer_token;
  config.qps = -1;
  return config;
}

void EmbeddedServer::Stop() { http_.reset(); }

void EmbeddedServer::Start() {
  apiserver::HttpServerOptions options;
  options.port = port_;
  options.bearer_token = options_.bearer_token;
  options.tls = options_.tls;
  options.http2 = options_.http2;
  if (options_.tls) {
    options.cert_pem = certificate_.cert_pem;
    options.key_pem = certificate_.key_pem;
  }
  http_ = apiserver::HttpServer::Listen(runtime_->env(), *front_, std::move(options)).OrExit();
  port_ = http_->port();
}

void EmbeddedServer::CloseConnections() { http_->CloseConnections(); }

void EmbeddedServer::AnswerWith(Answer answer) {
  With([&](apiserver::ApiServer&) { front_->answer = std::move(answer); });
}

void EmbeddedServer::Put(const std::string& name, const std::string& value,
                         const std::string& namespace_) {
  json::Value object = json::Value::MakeObject(
      {{"kind", "ConfigMap"},
       {"apiVersion", "v1"},
       {"metadata", json::Value::MakeObject({{"name", name}, {"namespace", namespace_}})},
       {"data", json::Value::MakeObject({{"value", value}})}});
  const Result<json::Value> stored = With([&](apiserver::ApiServer& server) {
    if (server.Get(kConfigMaps, {namespace_, name}).ok()) {
      return server.Update(kConfigMaps, std::move(object));
    }
    return server.Create(kConfigMaps, std::move(object));
  });
  EXPECT_TRUE(stored.ok()) << stored.error();
}

void EmbeddedServer::Delete(const std::string& name, const std::string& namespace_) {
  const Result<void> deleted = With(
      [&](apiserver::ApiServer& server) { return server.Delete(kConfigMaps, {namespace_, name}); });
  EXPECT_TRUE(deleted.ok()) << deleted.error();
}

State EmbeddedServer::ServerState() {
  return With([](apiserver::ApiServer& server) { return server.DumpState(kConfigMaps); });
}

bool Eventually(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  for (;;) {
    if (condition()) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace kinformer::testing
