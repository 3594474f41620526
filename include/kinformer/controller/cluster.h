// kinformer/controller/cluster.h
//
// Cluster: a controller's tools for one Kubernetes cluster: a shared cache, a client that reads
// from it and writes to the server, and event recorders. A manager (manager.h) has one, and may be
// given others:
//
//   Config config = Config::FromKubeconfigFile("second.kubeconfig").OrExit();
//   auto second = Cluster::New(manager->env(), config).OrExit();
//   manager->Add(second).OrExit();

#ifndef KINFORMER_CONTROLLER_CLUSTER_H_
#define KINFORMER_CONTROLLER_CLUSTER_H_

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/controller/runnable.h"
#include "kinformer/events/recorders.h"
#include "kinformer/internal/pimpl.h"

namespace kinformer {

class EventBroadcaster;  // event_broadcaster.h
namespace events {
class EventBroadcaster;  // events.h
}  // namespace events

// Options of a Cluster's parts.
struct ClusterOptions {
  // Differs from other clients: if neither this nor the Config sets qps, only the server limits the
  // rate (API Priority and Fairness). Counterpart: controller-runtime's GetConfig.
  ClientOptions client{};
  SharedInformerFactoryOptions cache{};
  DelegatingClientOptions reads{};
  EventBroadcasterOptions events{};                 // for GetEventRecorderFor
  events::EventBroadcasterOptions series_events{};  // for GetEventRecorder
};

// A cluster's cache, clients and recorders. Thread-safe. Counterpart: cluster.Cluster.
class Cluster final : public Runnable {
 public:
  // Creates a cluster for `config`. kConfig: see Config. `env` must outlive it.
  static Result<std::shared_ptr<Cluster>> New(Env& env, const Config& config,
                                              const ClusterOptions& options = {});
  // Creates a cluster over an existing client; ignores options.client.
  explicit Cluster(const Client& client, const ClusterOptions& options = {});
  ~Cluster() override;

  [[nodiscard]] Env& env() const { return rest_.env(); }
  // Returns a client that sends every call to the server. Counterpart: GetAPIReader, GetHTTPClient.
  [[nodiscard]] const Client& GetRESTClient() const { return rest_; }
  // Returns a client that reads from the cache, writes to the server, and sees its own writes.
  [[nodiscard]] const DelegatingClient& GetClient() const { return client_; }
  // Returns the factory of all informers. Informers created after its Start need another Start.
  [[nodiscard]] SharedInformerFactory& GetCache() { return *cache_; }
  [[nodiscard]] const internal::FactoryCore& caches() const { return cache_->core(); }
  // Returns a recorder for events of `component` about objects of this cluster. The first call
  // starts the thread that sends them. Counterpart: GetEventRecorderFor.
  [[nodiscard]] std::shared_ptr<EventRecorder> GetEventRecorderFor(const std::string& component);
  // Returns a recorder for events of events.k8s.io/v1, which also have an action and a related
  // object. `reporting_controller`: a name such as "example.com/printer". Counterpart:
  // GetEventRecorder.
  [[nodiscard]] std::shared_ptr<events::EventRecorder> GetEventRecorder(
      const std::string& reporting_controller);
  // Sends pending events of both kinds, for at most `timeout`, and then accepts no more. Blocks.
  void ShutDownEvents(Duration timeout);

  // Implements Runnable: starts the informers, is ready when they have synced, and stops them.
  Result<void> Start(const std::stop_token& stop) override;
  Result<void> WaitUntilReady(const std::stop_token& stop) override;
  [[nodiscard]] RunnableGroup group() const override { return RunnableGroup::kCaches; }
  [[nodiscard]] std::string name() const override { return "cache of " + rest_.Describe(); }

 private:
  const Client rest_;
  const EventBroadcasterOptions event_options_;
  const events::EventBroadcasterOptions series_options_;
  const std::shared_ptr<SharedInformerFactory> cache_;
  const DelegatingClient client_;
  std::mutex mutex_;
  internal::Pimpl<EventBroadcaster> events_;
  internal::Pimpl<events::EventBroadcaster> series_;
};

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_CLUSTER_H_
