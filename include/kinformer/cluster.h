// kinformer/cluster.h
//
// Cluster: what controllers need of one Kubernetes cluster: a cache that they share, a client that
// reads from it and writes to the server, and events. A manager (manager.h) has one, and may be
// given others:
//
//   Config config = Config::FromKubeconfigFile("second.kubeconfig").OrExit();
//   auto second = Cluster::New(manager->env(), config).OrExit();
//   manager->Add(second).OrExit();

#ifndef KINFORMER_CLUSTER_H_
#define KINFORMER_CLUSTER_H_

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "kinformer/client.h"
#include "kinformer/config.h"
#include "kinformer/delegating_client.h"
#include "kinformer/env.h"
#include "kinformer/event_recorder.h"
#include "kinformer/events.h"
#include "kinformer/result.h"
#include "kinformer/runnable.h"
#include "kinformer/shared_informer_factory.h"

namespace kinformer {

// What a Cluster's parts are made with.
struct ClusterOptions {
  // Different from other clients': where neither this nor the Config sets qps, there is no limit
  // but the server's own (API Priority and Fairness). Counterpart: controller-runtime's GetConfig.
  ClientOptions client{};
  SharedInformerFactoryOptions cache{};
  DelegatingClientOptions reads{};
  EventBroadcasterOptions events{};                 // of GetEventRecorderFor
  events::EventBroadcasterOptions series_events{};  // of GetEventRecorder
};

// Thread-safe. Counterpart: cluster.Cluster.
class Cluster final : public Runnable {
 public:
  // kConfig: see Config. `env` must outlive it.
  static Result<std::shared_ptr<Cluster>> New(Env& env, const Config& config,
                                              const ClusterOptions& options = {});
  // Over a client that there is; options.client is not looked at.
  explicit Cluster(const Client& client, const ClusterOptions& options = {});
  ~Cluster() override;

  [[nodiscard]] Env& env() const { return rest_.env(); }
  // Talks to the server for every call. Counterpart: GetAPIReader, GetHTTPClient.
  [[nodiscard]] const Client& GetRESTClient() const { return rest_; }
  // Reads from the cache, writes to the server, and sees its own writes.
  [[nodiscard]] const DelegatingClient& GetClient() const { return client_; }
  // All informers. One that is asked for after the start has to be started by its Start.
  [[nodiscard]] SharedInformerFactory& GetCache() { return *cache_; }
  // Events of a component of that name about objects of this cluster. The first call starts what
  // sends them. Counterpart: GetEventRecorderFor.
  [[nodiscard]] std::shared_ptr<EventRecorder> GetEventRecorderFor(const std::string& component);
  // The same for events of events.k8s.io/v1, which also say what was done, and with what
  // else. `reporting_controller`: a name such as "example.com/printer". Counterpart:
  // GetEventRecorder.
  [[nodiscard]] std::shared_ptr<events::EventRecorder> GetEventRecorder(
      const std::string& reporting_controller);
  // Sends what events wait, of both kinds, for at most `timeout`, and takes no more. Blocks.
  void ShutDownEvents(Duration timeout);

  // As a Runnable: starts the informers, which are ready when they have synced, and stops them.
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
  std::unique_ptr<EventBroadcaster> events_;
  std::unique_ptr<events::EventBroadcaster> series_;
};

}  // namespace kinformer

#endif  // KINFORMER_CLUSTER_H_
