// kinformer/testing/api_server.h
//
// testing::ApiServer: a Kubernetes API server for tests, in three lines: in memory, in simulated
// time, or on a socket.
//
//   kinformer::testing::ApiServer server;
//   server.Load(manifests).OrExit();  // YAML or JSON
//   Client client = Client::ForTransport(server.env(), server.transport());
//
// For programs that need a cluster's address, and for kubectl:
//
//   server.Listen({.tls = true}).OrExit();
//   server.WriteKubeconfig("test.kubeconfig").OrExit();
//
// In simulated time (kinformer/base/simulation.h), where a day passes in a moment and a seed
// determines the run:
//
//   kinformer::Simulation sim;
//   kinformer::testing::ApiServer server(sim);
//
// Link kinformer::testing. Counterparts: envtest, client-go's fake clientset; but watches, expiry
// and conflicts behave as on a real server.

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
#include "kinformer/apiserver/state_snapshot.h"
#include "kinformer/base/result.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/transport.h"
#include "kinformer/internal/pimpl.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object_name.h"

namespace kinformer::testing {

// Methods may be called from any thread; with a Simulation, from the one that drives it or a
// simulated one. All wait for the server's loop, for a moment. Destroy clients of transport()
// before it; clients of the socket may outlive it.
class ApiServer {
 public:
  // Creates a server on threads of its own.
  explicit ApiServer(apiserver::ApiServerOptions options = {});
  // Creates a server on the threads of `runtime`, which must outlive it.
  explicit ApiServer(Runtime& runtime, apiserver::ApiServerOptions options = {});
  // Creates a server in simulated time. `simulation` must outlive it.
  explicit ApiServer(Simulation& simulation, apiserver::ApiServerOptions options = {});
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  // ---- Access in memory: arguments of Client::ForTransport.
  [[nodiscard]] Env& env();
  // Returns true if it was made for a Simulation.
  [[nodiscard]] bool simulated() const { return simulated_; }
  [[nodiscard]] const std::shared_ptr<InMemoryTransport>& transport() const { return transport_; }

  // ---- Access over a socket: by default of this machine only, and on a free port. Not available
  // in simulated time.
  // Errors: those of HttpServer::Listen.
  Result<void> Listen(apiserver::HttpServerOptions options = {});
  // REQUIRES: Listen has succeeded.
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::string kubeconfig() const;
  Result<void> WriteKubeconfig(const std::string& path) const;
  [[nodiscard]] apiserver::HttpServer& http() { return *http_; }

  // ---- Objects. Methods as in apiserver::ApiServer; watches report the changes as if a client had
  // made them.
  Result<std::size_t> Load(std::string_view manifests);
  Result<json::Value> Create(const GroupVersionResource& resource, json::Value object);
  Result<json::Value> Update(const GroupVersionResource& resource, json::Value object);
  Result<json::Value> Patch(const GroupVersionResource& resource, const ObjectName& name,
                            const json::Value& patch);
  Result<void> Delete(const GroupVersionResource& resource, const ObjectName& name);
  [[nodiscard]] Result<json::Value> Get(const GroupVersionResource& resource,
                                        const ObjectName& name);

  // ---- The whole state: a suite prepares it once, and each test begins with Restore.
  [[nodiscard]] apiserver::StateSnapshot Snapshot();
  // As ApiServer::Restore: watches of clients end with 410, and they list again.
  Result<void> Restore(const apiserver::StateSnapshot& snapshot);

  // ---- Faults. The plan may be used at any time, from any thread.
  [[nodiscard]] apiserver::FaultPlan& faults() { return server_->faults(); }

  // Runs `work` with the server on its loop and returns its result: for all other methods of
  // apiserver::ApiServer.
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
  // Creates a server; `env` is null for that of `own`.
  ApiServer(std::unique_ptr<Runtime> own, Env* env, bool simulated,
            apiserver::ApiServerOptions options);
  void OnLoop(const std::function<void()>& work);

  const kinformer::internal::Pimpl<Runtime> runtime_;  // if it has threads of its own
  Env& env_;
  const bool simulated_;
  std::unique_ptr<apiserver::ApiServer> server_;
  std::shared_ptr<InMemoryTransport> transport_;
  std::unique_ptr<apiserver::HttpServer> http_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_API_SERVER_H_
