// kinformer/internal/informer_core.h
//
// InformerCore: the untyped informer that SharedInformer<T> is a thin shell over, compiled once.
// Store, reflector, queue, controller, processor and listeners are behind it.

#ifndef KINFORMER_INTERNAL_INFORMER_CORE_H_
#define KINFORMER_INTERNAL_INFORMER_CORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/raw_transform.h"
#include "kinformer/list_watch.h"
#include "kinformer/result.h"

namespace kinformer::internal {

namespace cache {
class Listener;
class StoreCore;
struct StorePosition;
}  // namespace cache
class IndexerCore;
class RawHandler;

// Why an informer is not synced.
struct NotSynced {
  std::string informer;  // "pods in namespace default"
  bool started = false;
  std::optional<Error> last_error{};
  bool over_limit = false;  // that is the error
};

// Makes the ListerWatchers of one life of the informer, on the loop.
struct ListerWatcherSource {
  // Of the objects, in a namespace; empty: in all; kOtherNamespaces (cache/store/store_part.h): in
  // all that the informer's settings do not name.
  NamespacedListWatch objects{};
  // Of the Namespaces that there are. Empty: they cannot be asked for.
  std::function<std::unique_ptr<ListerWatcher>()> namespaces{};
  // The objects have namespaces, as far as is known.
  bool namespaced = false;
  // The informer looks at all others, too, beside the namespaces that its settings name.
  bool others = false;
};

// The counted front: whoever holds a shared_ptr to it keeps the informer alive; the last one stops
// it. Thread-safe.
class InformerCore : public std::enable_shared_from_this<InformerCore> {
 public:
  // `describe` is what messages call it: "pods in namespace default".
  static std::shared_ptr<InformerCore> Create(Env& env, std::string describe,
                                              ListerWatcherSource source,
                                              InformerSettings settings);
  // One that must not be: stopped from the beginning, and Start does nothing but log `why`, which
  // is also the answer to all who read.
  static std::shared_ptr<InformerCore> CreateRefused(Env& env, std::string describe, Error why);
  ~InformerCore();
  InformerCore(const InformerCore&) = delete;
  InformerCore& operator=(const InformerCore&) = delete;

  Result<std::shared_ptr<cache::Listener>> AddHandler(std::shared_ptr<RawHandler> handler,
                                                      HandlerOptions options);
  Result<void> RemoveHandler(const std::shared_ptr<cache::Listener>& listener);

  void LogIfError(const Result<void>& result) const;
  // Somebody has asked for an informer with these options, and is given this one. The log names
  // those that he has set and this one does not have, each once.
  void NameDroppedOptions(const InformerSettings& asked) const;
  Result<void> SetTransform(RawTransform transform);
  // For who sets none of their own, before or after this.
  Result<void> SetDefaultTransform(RawTransform transform);
  Result<void> SetWatchErrorHandler(WatchErrorHandler handler);

  void Start();
  void Stop();
  void Run(const std::stop_token& stop);
  // Waits until no callback runs, except one that calls this.
  void WaitIdle();

  [[nodiscard]] bool HasSynced() const;
  [[nodiscard]] bool HasStarted() const;
  [[nodiscard]] bool IsStopped() const;
  [[nodiscard]] bool IsTornDown() const;  // stopped, and nothing of it runs any more
  [[nodiscard]] std::string LastSyncResourceVersion() const;
  // See SharedInformer.
  Result<void> WaitForHandlersSync(const std::stop_token& stop,
                                   std::optional<Duration> timeout) const;
  Result<void> WaitForResourceVersion(std::string_view resourceVersion, const std::stop_token& stop,
                                      std::optional<Duration> timeout) const;
  [[nodiscard]] InformerStats Stats() const;
  [[nodiscard]] InformerStatus Status() const;
  [[nodiscard]] std::vector<NamespaceStatus> Namespaces() const;
  [[nodiscard]] NotSynced WhyNotSynced() const;
  [[nodiscard]] const std::string& Describe() const;

  [[nodiscard]] Env& env() const;
  // The reading side; lives as long as this.
  [[nodiscard]] IndexerCore& indexer() const;
  [[nodiscard]] cache::StoreCore& store() const;

  // Calls `notify` on some thread whenever an answer of HasSynced, IsTornDown or WhyNotSynced may
  // have changed, until the returned token is destroyed. The store's version only while somebody is
  // in WaitForResourceVersion.
  [[nodiscard]] std::shared_ptr<void> Observe(std::function<void()> notify) const;
  // The same, and at each version of the store. Whoever adds himself and then looks at the store
  // misses none.
  [[nodiscard]] std::shared_ptr<void> ObserveVersions(std::function<void()> notify) const;
  // How far the store has got in that namespace; empty: in all that it looks at.
  [[nodiscard]] cache::StorePosition PositionOf(std::string_view namespace_) const;
  // How often the server has gone back in time, as far as is known. The store's position is in an
  // earlier epoch until the list that follows is in the store.
  [[nodiscard]] std::uint64_t Epochs() const;

  struct Impl;

 private:
  explicit InformerCore(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

// An informer of its own: `lister_watcher` serves all its lives.
std::shared_ptr<InformerCore> NewStandaloneInformer(Env& env,
                                                    std::unique_ptr<ListerWatcher> lister_watcher,
                                                    InformerSettings settings);
// The same over the namespaces of the settings.
std::shared_ptr<InformerCore> NewStandaloneInformer(Env& env, NamespacedListWatch lister_watchers,
                                                    InformerSettings settings);

// Functions on Listener, whose definition is private.
bool ListenerHasSynced(const cache::Listener& listener);
HandlerStats ListenerStats(const cache::Listener& listener);
Result<void> ListenerWaitForSync(const std::shared_ptr<cache::Listener>& listener,
                                 const std::stop_token& stop, std::optional<Duration> timeout);
Result<void> RemoveListener(const std::shared_ptr<cache::Listener>& listener);

// Waits until all are synced. See SharedInformerFactory::WaitForCacheSync for the errors.
Result<void> WaitForSync(Env& env, const std::vector<std::shared_ptr<InformerCore>>& informers,
                         const std::stop_token& stop, const SyncWaitOptions& options);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_INFORMER_CORE_H_
