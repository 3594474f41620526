#include "demo/embedded_cluster.h"

#include <future>
#include <utility>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/apiserver/http_server.h"
#include "kinformer/base/runtime.h"
#include "kinformer/json/json.h"

#include "demo/owner_uids.h"

namespace kinformer::demo {

struct EmbeddedCluster::Impl {
  explicit Impl(const ClusterSize& size) : runtime({.name = "demo-server"}), model(size) {}

  // Runs `work` on the server's loop and waits for it.
  template <class F>
  auto OnLoop(F work) -> decltype(work()) {
    std::promise<decltype(work())> done;
    auto result = done.get_future();
    runtime.env().loop().Post([&] {
      if constexpr (std::is_void_v<decltype(work())>) {
        work();
        done.set_value();
      } else {
        done.set_value(work());
      }
    });
    return result.get();
  }

  Result<void> Apply(const Operation& operation) {
    const GroupVersionResource resource{std::string(operation.group),
                                        std::string(operation.version),
                                        std::string(operation.resource)};
    if (operation.kind == Operation::Kind::kDelete) {
      return server->Delete(resource, {operation.namespace_, operation.name});
    }
    Result<json::Value> object = json::Parse(operation.json);
    if (!object) return std::move(object).error();
    owners.Fill(*object);
    Result<json::Value> stored = operation.kind == Operation::Kind::kCreate
                                     ? server->Create(resource, *std::move(object))
                                     : server->Update(resource, *std::move(object));
    if (!stored) return std::move(stored).error();
    owners.Note(*stored);
    return {};
  }

  void Step() {
    std::vector<std::string> lines;
    for (const Operation& operation : model.Step(&lines)) {
      if (Result<void> applied = Apply(operation); !applied) {
        lines.push_back("the server refused: " + applied.error().message());
      }
    }
    story.insert(story.end(), lines.begin(), lines.end());
    Schedule();
  }

  void Schedule() {
    timer.Cancel();
    if (interval.count() == 0) return;
    timer = runtime.env().loop().RunAt(runtime.env().Now() + interval, [this] { Step(); });
  }

  Runtime runtime;
  // The members below are used on the loop only.
  ClusterModel model;
  OwnerUids owners;
  std::unique_ptr<apiserver::ApiServer> server;
  std::unique_ptr<apiserver::HttpServer> http;
  Timer timer;
  std::chrono::milliseconds interval{0};
  std::vector<std::string> story;
};

EmbeddedCluster::EmbeddedCluster(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

EmbeddedCluster::~EmbeddedCluster() {
  impl_->OnLoop([this] {
    impl_->timer.Cancel();
    impl_->http.reset();
    impl_->server.reset();
  });
}

Result<std::unique_ptr<EmbeddedCluster>> EmbeddedCluster::Start(const ClusterSize& size) {
  auto impl = std::make_unique<Impl>(size);
  Result<void> loaded = impl->OnLoop([&]() -> Result<void> {
    Env& env = impl->runtime.env();
    impl->server = std::make_unique<apiserver::ApiServer>(
        env, apiserver::ApiServerOptions{.bootstrap_objects = false});
    for (const Operation& operation : impl->model.Start()) {
      if (Result<void> applied = impl->Apply(operation); !applied) {
        return std::move(applied).error().WithContext(std::string(operation.resource) + " " +
                                                      operation.name);
      }
    }
    auto http = apiserver::HttpServer::Listen(env, *impl->server, {.tls = true});
    if (!http) return std::move(http).error();
    impl->http = *std::move(http);
    return {};
  });
  std::unique_ptr<EmbeddedCluster> cluster(new EmbeddedCluster(std::move(impl)));
  if (!loaded) return std::move(loaded).error();
  return cluster;
}

std::string EmbeddedCluster::url() const { return impl_->http->url(); }
std::string EmbeddedCluster::Kubeconfig() const { return impl_->http->Kubeconfig(); }

void EmbeddedCluster::Live(std::chrono::milliseconds interval) {
  impl_->OnLoop([this, interval] {
    impl_->interval = interval;
    impl_->Schedule();
  });
}

std::vector<std::string> EmbeddedCluster::TakeStory() {
  return impl_->OnLoop([this] { return std::exchange(impl_->story, {}); });
}

void EmbeddedCluster::CutConnections() {
  impl_->OnLoop([this] { impl_->http->CloseConnections(); });
}

std::map<std::string, std::string> EmbeddedCluster::State(const GroupVersionResource& resource) {
  return impl_->OnLoop([&] { return impl_->server->DumpState(resource); });
}

std::size_t EmbeddedCluster::objects() {
  return impl_->OnLoop([this] { return impl_->server->Stats().objects; });
}

}  // namespace kinformer::demo
