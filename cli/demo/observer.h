// demo/observer.h
//
// Observer: a typical program with informers: caches of seven resources from one factory, a custom
// index, handlers, a lister query, a work queue with retries. The demo shows its state.

#ifndef KINFORMER_CLI_DEMO_OBSERVER_H_
#define KINFORMER_CLI_DEMO_OBSERVER_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/api/discoveryv1.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/workqueue/rate_limiting_queue.h"
#include "kinformer/workqueue/worker.h"

namespace kinformer::demo {

// Number of components that share the caches in the demo.
inline constexpr int kComponents = 10;

// One cached resource of any type.
struct CachedResource {
  std::string name;
  GroupVersionResource resource;
  std::function<InformerStats()> stats;
  std::function<bool()> synced;
  // Content of the cache: "namespace/name" and resourceVersion.
  std::function<std::map<std::string, std::string>()> state;
  // Content of the server, from a separate list.
  std::function<Result<std::map<std::string, std::string>>()> listed;
};

struct QueueFigures {
  std::size_t depth = 0;
  std::uint64_t added = 0;
  std::uint64_t retried = 0;
  std::uint64_t done = 0;
};

// Thread-safe. The destructor ends workers and informers.
class Observer {
 public:
  explicit Observer(const Client& client);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  void Start();
  [[nodiscard]] const std::vector<CachedResource>& resources() const { return resources_; }
  [[nodiscard]] bool HasSynced() const;

  [[nodiscard]] kinformer::Snapshot<corev1::Pod> Pods() const { return pods_.Snapshot(); }
  [[nodiscard]] Lister<corev1::Pod> PodLister() const { return pods_.lister(); }
  [[nodiscard]] std::vector<std::string> TakeLog();  // log lines of a handler since the last call
  [[nodiscard]] QueueFigures Queue() const;
  // Number of pods that exist according to the log handler's events alone.
  [[nodiscard]] std::size_t believed_pods() const { return believed_pods_.load(); }

 private:
  template <class T>
  void Add(const char* name, SharedInformer<T> informer);
  void Note(std::string line);
  Result<void> Reconcile(const ObjectName& key);

  Env& env_;
  const Client client_;
  SharedInformerFactory factory_;
  SharedInformer<corev1::Pod> pods_;
  std::vector<CachedResource> resources_;

  RateLimitingQueue<ObjectName> queue_;
  Workers workers_;
  std::atomic<std::uint64_t> added_{0};
  std::atomic<std::uint64_t> retried_{0};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::size_t> believed_pods_{0};

  std::mutex mutex_;
  std::deque<std::string> log_;
};

// Returns "Running", "Pending", or the reason a container waits, as kubectl's STATUS column.
std::string PodState(corev1::Pod pod);

}  // namespace kinformer::demo

#endif  // KINFORMER_CLI_DEMO_OBSERVER_H_
