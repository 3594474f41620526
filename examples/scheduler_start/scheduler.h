// Scheduler: the start of kube-scheduler, line by line, around a trivial choice of the next node.
// Names in comments are from its source: cmd/kube-scheduler/app/server.go and
// pkg/scheduler/eventhandlers.go.

#ifndef EXAMPLES_SCHEDULER_START_SCHEDULER_H_
#define EXAMPLES_SCHEDULER_START_SCHEDULER_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/assume_cache.h"
#include "kinformer/cache/dynamic_shared_informer_factory.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/object/unstructured.h"
#include "kinformer/workqueue/rate_limiting_queue.h"

namespace scheduler {

struct Options {
  // Informers start when this process leads, not before: a waiting replica costs the server
  // nothing, but takes over later. Counterpart: DelayCacheUntilActive.
  bool delay_cache_until_active = false;
  // Called for each event with a line of text, from several threads.
  std::function<void(const std::string& line)> say{};
};

// Thread-safe. Functions that block are marked.
class Scheduler {
 public:
  // Makes informers and handlers, but starts none. Reads the resource of widgets from the server,
  // so it blocks.
  Scheduler(const kinformer::Client& client, Options options);

  // Does the same as Run of server.go before the election: starts the informers, unless that is
  // delayed. Blocks until this process leads or must stop.
  kinformer::Result<void> BeforeElection(const std::stop_token& stop);
  // OnStartedLeading. Blocks until stop is requested.
  void Lead(const std::stop_token& stop);

  // The result of the readyz check sched-handler-sync.
  [[nodiscard]] bool handlers_synced() const { return handlers_synced_; }
  // Returns the pods that use nodes, by key, and their nodes.
  [[nodiscard]] std::map<std::string, std::string> assigned() const;
  // Returns the node of a claim, or "".
  [[nodiscard]] std::string NodeOfClaim(const std::string& key) const;
  // Returns the number of pods that wait for a node.
  [[nodiscard]] std::size_t waiting() const { return queue_.Len(); }

 private:
  using Pods = kinformer::SharedInformer<kinformer::corev1::Pod>;
  using Registration = kinformer::EventHandlerRegistration;

  static Pods MakePods(kinformer::SharedInformerFactory& factory, const kinformer::Client& client);
  // addAllEventHandlers.
  void AddAllEventHandlers();
  // startInformersAndWaitForSync.
  kinformer::Result<void> StartInformersAndWaitForSync(const std::stop_token& stop);
  void AddPodToCache(const kinformer::Added<kinformer::corev1::Pod>& event);
  void UpdatePodInCache(const kinformer::Updated<kinformer::corev1::Pod>& event);
  void DeletePodFromCache(const kinformer::Deleted<kinformer::corev1::Pod>& event);
  void ScheduleOne(const kinformer::ObjectName& name);
  // AssumePodVolumes: from here on the pod's claims belong to that node.
  kinformer::Result<void> SelectNodeForClaims(const kinformer::corev1::Pod& pod,
                                              const std::string& node);
  kinformer::Result<void> Bind(const kinformer::corev1::Pod& pod, const std::string& node);

  const kinformer::Client client_;
  const Options options_;
  const std::shared_ptr<kinformer::SharedInformerFactory> factory_;
  kinformer::DynamicSharedInformerFactory dynamic_factory_;
  const kinformer::DelegatingClient writer_;
  Pods pods_;
  kinformer::SharedInformer<kinformer::corev1::Node> nodes_;
  kinformer::SharedInformer<kinformer::Unstructured> widgets_;
  kinformer::RateLimitingQueue<kinformer::ObjectName> queue_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> assigned_;
  std::atomic<bool> handlers_synced_ = false;
  std::size_t next_node_ = 0;
  // Decisions about claims, valid before the informer gets them.
  kinformer::AssumeCache<kinformer::corev1::PersistentVolumeClaim> claims_;
  // The last members, so they are destroyed first: handlers use the members above.
  std::vector<Registration> handlers_;
  std::vector<Registration::ScopedRegistration> scopes_;
};

}  // namespace scheduler

#endif  // EXAMPLES_SCHEDULER_START_SCHEDULER_H_
