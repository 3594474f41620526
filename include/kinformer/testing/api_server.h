// kinformer/testing/api_server.h
//
// testing::ApiServer: a Kubernetes API server for your own tests, in three lines. In memory, in
// simulated time, or on a socket.
//
//   kinformer::testing::ApiServer server;
//   server.Load(manifests).OrExit();  // YAML or JSON
//   Client client = Client::ForTransport(server.env(), server.transport());
//
// For programs that want a cluster, and for kubectl:
//
//   server.Listen({.tls = true}).OrExit();
//   server.WriteKubeconfig("test.kubeconfig").OrExit();
//
// In simulated time (kinformer/simulation.h), where a day passes in a moment and each seed gives
// one run:
//
//   kinformer::Simulation sim;
//   kinformer::testing::ApiServer server(sim);
//
// Link kinformer::testing. Counterparts: envtest, client-go's fake clientset; but what it serves is
// watched, expired and conflicted over as on a real server.

#ifndef KINFORMER_TESTING_API_SERVER_H_
#define KINFORMER_TESTING_API_SERVER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/apiserver/http_server.h"
#include "kinformer/json.h"
#include "kinformer/object_name.h"
#include "kinformer/result.h"
#include "kinformer/runtime.h"
#include "kinformer/simulation.h"
#include "kinformer/transport.h"

namespace kinformer::testing {

// Every method may be called from any thread; with a Simulation, from the one that drives it or a
// simulated one. All wait for the server's loop, a moment. Clients of transport() must be gone
// before; those of the socket need not.
class ApiServer {
 public:
  // On threads of its own.
  explicit ApiServer(apiserver::ApiServerOptions options = {});
  // On those of `runtime`, which must outlive it.
  explicit ApiServer(Runtime& runtime, apiserver::ApiServerOptions options = {});
  // In simulated time. `simulation` must outlive it.
  explicit ApiServer(Simulation& simulation, apiserver::ApiServerOptions options = {});
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // ---- Getting in, in memory: both for Client::ForTransport.
  [[nodiscard]] Env& env();
  [[nodiscard]] const std::shared_ptr<InMemoryTransport>& transport() const { return transport_; }

  // ---- Getting in over a socket: of this machine, unless the options say otherwise; on a free
  // port. Not in simulated time.
  // Errors: those of HttpServer::Listen.
  Result<void> Listen(apiserver::HttpServerOptions options = {});
  // REQUIRES: Listen has succeeded.
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::string kubeconfig() const;
  Result<void> WriteKubeconfig(const std::string& path) const;
  [[nodiscard]] apiserver::HttpServer& http() { return *http_; }

  // ---- What is on the server. As the methods of apiserver::ApiServer with these names; those who
  // watch see it as if a client had done it.
  Result<std::size_t> Load(std::string_view manifests);
  Result<json::Value> Create(const GroupVersionResource& resource, json::Value object);
  Result<json::Value> Update(const GroupVersionResource& resource, json::Value object);
  Result<json::Value> Patch(const GroupVersionResource& resource, const ObjectName& name,
                            const json::Value& patch);
  Result<void> Delete(const GroupVersionResource& resource, const ObjectName& name);
  [[nodiscard]] Result<json::Value> Get(const GroupVersionResource& resource,
                                        const ObjectName& name);

  // ---- What goes wrong. The plan may be used at any time, from any thread.
  [[nodiscard]] apiserver::FaultPlan& faults() { return server_->faults(); }

  // Runs `work` with the server on its loop and gives what it returns: for everything else that
  // apiserver::ApiServer can do.
  template <class F>
  auto With(F&& work) -> std::invoke_result_t<F, apiserver::ApiServer&> {
    using R = std::invoke_result_t<F, apiserver::ApiServer&>;
    if constexpr (std::is_void_v<R>) {
      OnLoop([&] { work(*server_); });
    } else {
      std::optional<R> result;
      OnLoop([&] { result.emplace(work(*server_)); });
      return *std::move(result);
    }
  }

 private:
  // `env` is null for that of `own`.
  ApiServer(std::unique_ptr<Runtime> own, Env* env, bool simulated,
            apiserver::ApiServerOptions options);
  void OnLoop(const std::function<void()>& work);

  const std::unique_ptr<Runtime> runtime_;  // where it has threads of its own
  Env& env_;
  const bool simulated_;
  std::unique_ptr<apiserver::ApiServer> server_;
  std::shared_ptr<InMemoryTransport> transport_;
  std::unique_ptr<apiserver::HttpServer> http_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_API_SERVER_H_
