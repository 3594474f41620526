#include "kinformer/testing/api_server.h"

#include <utility>

#include "base/core/forked.h"

namespace kinformer::testing {

ApiServer::ApiServer(std::unique_ptr<Runtime> own, Env* env, bool simulated,
                     apiserver::ApiServerOptions options)
    : runtime_(std::move(own)),
      env_(env != nullptr ? *env : runtime_->env()),
      simulated_(simulated) {
  // An earlier server may have had the same port or transport.
  if (!simulated && !options.first_resource_version) {
    options.first_resource_version = apiserver::FirstResourceVersionAt(env_.WallNow());
  }
  OnLoop([&] {
    server_ = std::make_unique<apiserver::ApiServer>(env_, std::move(options));
    transport_ = NewInMemoryTransport(env_, *server_);
  });
}

ApiServer::ApiServer(apiserver::ApiServerOptions options)
    : ApiServer(std::make_unique<Runtime>(RuntimeOptions{.name = "test-server"}), nullptr, false,
                std::move(options)) {}

ApiServer::ApiServer(Runtime& runtime, apiserver::ApiServerOptions options)
    : ApiServer(nullptr, &runtime.env(), false, std::move(options)) {}

ApiServer::ApiServer(Simulation& simulation, apiserver::ApiServerOptions options)
    : ApiServer(nullptr, &simulation.env(), true, std::move(options)) {}

ApiServer::~ApiServer() {
  if (internal::base::LeaveIfForkedOff(env_, server_)) {
    internal::base::LeaveToParent(std::move(transport_));
    return;
  }
  http_.reset();
  OnLoop([this] {
    // Remaining users of the transport get no answer.
    transport_->Down();
    server_.reset();
  });
}

Env& ApiServer::env() { return env_; }

void ApiServer::OnLoop(const std::function<void()>& work) {
  // In simulated time only one thread runs at any moment.
  if (simulated_ || env_.loop().InThisExecutor()) return work();
  const std::unique_ptr<Monitor> monitor = env_.NewMonitor();
  bool done = false;
  env_.loop().Post([&] {
    work();
    const MonitorLock lock(*monitor);
    done = true;
    monitor->NotifyAll();
  });
  MonitorLock lock(*monitor);
  // NOLINTNEXTLINE(bugprone-infinite-loop): the posted task sets it, on the loop's thread
  while (!done) lock.Wait();
}

Result<void> ApiServer::Listen(apiserver::HttpServerOptions options) {
  auto http = apiserver::HttpServer::Listen(env_, *server_, std::move(options));
  if (!http) return http.error();
  http_ = *std::move(http);
  return {};
}

std::string ApiServer::url() const { return http_->url(); }
std::string ApiServer::kubeconfig() const { return http_->Kubeconfig(); }
Result<void> ApiServer::WriteKubeconfig(const std::string& path) const {
  return http_->WriteKubeconfig(path);
}

Result<std::size_t> ApiServer::Load(std::string_view manifests) {
  return With([&](apiserver::ApiServer& server) { return server.Load(manifests); });
}

Result<json::Value> ApiServer::Create(const GroupVersionResource& resource, json::Value object) {
  return With(
      [&](apiserver::ApiServer& server) { return server.Create(resource, std::move(object)); });
}

Result<json::Value> ApiServer::Update(const GroupVersionResource& resource, json::Value object) {
  return With(
      [&](apiserver::ApiServer& server) { return server.Update(resource, std::move(object)); });
}

Result<json::Value> ApiServer::Patch(const GroupVersionResource& resource, const ObjectName& name,
                                     const json::Value& patch) {
  return With([&](apiserver::ApiServer& server) { return server.Patch(resource, name, patch); });
}

Result<void> ApiServer::Delete(const GroupVersionResource& resource, const ObjectName& name) {
  return With([&](apiserver::ApiServer& server) { return server.Delete(resource, name); });
}

Result<json::Value> ApiServer::Get(const GroupVersionResource& resource, const ObjectName& name) {
  return With([&](apiserver::ApiServer& server) { return server.Get(resource, name); });
}

apiserver::StateSnapshot ApiServer::Snapshot() {
  return With([](apiserver::ApiServer& server) { return server.Snapshot(); });
}

Result<void> ApiServer::Restore(const apiserver::StateSnapshot& snapshot) {
  return With([&](apiserver::ApiServer& server) { return server.Restore(snapshot); });
}

}  // namespace kinformer::testing
