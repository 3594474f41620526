// kinformer/internal/informer_core.h
//
// InformerCore: untyped half of SharedInformer<T>, compiled once. Store, reflector, queue,
// controller, processor and listeners are behind it.

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

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/raw_transform.h"

namespace kinformer {
template <class T>
class Task;  // task.h
}  // namespace kinformer

namespace kinformer::internal {

namespace cache {
class Listener;
class StoreCore;
class CurrentAnswers;
struct StorePosition;
}  // namespace cache
class IndexerCore;
class RawHandler;

// Reason why an informer is not synced.
struct NotSynced {
  std::string informer;  // "pods in namespace default"
  bool started = false;
  std::optional<Error> last_error{};
  bool over_limit = false;  // last_error is a full cache
};

// Creates the ListerWatchers of an informer at each start, on the loop.
struct ListerWatcherSource {
  // For objects in a namespace; empty: in all; kOtherNamespaces (cache/store/store_part.h): in all
  // that the informer's settings do not name.
  NamespacedListWatch objects{};
  // For the Namespaces of the cluster. Empty: they cannot be listed.
  std::function<std::unique_ptr<ListerWatcher>()> namespaces{};
  // True if the objects are known to have namespaces.
  bool namespaced = false;
  // True if the informer also watches all other namespaces than those in its settings.
  bool others = false;
};

// An informer without a type. Each shared_ptr to it keeps the informer running; the release of the
// last one stops it. Thread-safe.
class InformerCore : public std::enable_shared_from_this<InformerCore> {
 public:
  // Creates an informer. `describe` names it in messages: "pods in namespace default".
  static std::shared_ptr<InformerCore> Create(Env& env, std::string describe,
                                              ListerWatcherSource source,
                                              InformerSettings settings);
  // Creates an informer that must not run: stopped from the beginning; Start only logs `why`, and
  // all reads return `why`.
  static std::shared_ptr<InformerCore> CreateRefused(Env& env, std::string describe, Error why);
  ~InformerCore();
  InformerCore(const InformerCore&) = delete;
  InformerCore& operator=(const InformerCore&) = delete;

  Result<std::shared_ptr<cache::Listener>> AddHandler(std::shared_ptr<RawHandler> handler,
                                                      HandlerOptions options);
  Result<void> RemoveHandler(const std::shared_ptr<cache::Listener>& listener);

  void LogIfError(const Result<void>& result) const;
  // Logs the options of `asked` that are set and that this informer does not have, each option
  // once. For requests that share this informer.
  void NameDroppedOptions(const InformerSettings& asked) const;
  Result<void> SetTransform(RawTransform transform);
  // Sets the transform of an informer without its own, whichever is set first.
  Result<void> SetDefaultTransform(RawTransform transform);
  // Returns true if it has a transform, so that its objects may differ from the server's.
  [[nodiscard]] bool Transforms() const;
  Result<void> SetWatchErrorHandler(WatchErrorHandler handler);

  // Records that the informer's factory will not start it. Its own Start still works.
  void FactoryEnded();
  [[nodiscard]] bool HasFactoryEnded() const;
  // Returns true if it was never started and its factory will not start it.
  [[nodiscard]] bool WaitsForEndedFactory() const;
  // Returns kStopped: the answer of a factory after Shutdown, and of its informers that were never
  // started.
  [[nodiscard]] static Error FactoryIsShutDown();

  void Start();
  void Stop();
  void Run(const std::stop_token& stop);
  // Waits until no callback runs, except one that calls this.
  void WaitIdle();

  [[nodiscard]] bool HasSynced() const;
  [[nodiscard]] bool HasStarted() const;
  [[nodiscard]] bool IsStopped() const;
  // Returns true while the work of a stopped informer goes on; false once it is started again.
  [[nodiscard]] bool IsEnding() const;
  [[nodiscard]] std::string LastSyncResourceVersion() const;
  // See SharedInformer.
  Result<void> WaitForHandlersSync(const std::stop_token& stop,
                                   std::optional<Duration> timeout) const;
  Result<void> WaitForResourceVersion(std::string_view resourceVersion, const std::stop_token& stop,
                                      std::optional<Duration> timeout) const;
  // The same two waits as tasks, which keep the informer.
  static Task<Result<void>> VersionTask(std::shared_ptr<const InformerCore> informer,
                                        std::string version, std::stop_token stop,
                                        std::optional<Duration> timeout);
  static Task<Result<void>> HandlersSyncTask(std::shared_ptr<const InformerCore> informer,
                                             std::stop_token stop, std::optional<Duration> timeout);
  // Asks the server what it has, for each part. Calls `notify` on the loop at each answer, also
  // after the result was destroyed.
  [[nodiscard]] std::shared_ptr<cache::CurrentAnswers> AskWhetherCurrent(
      std::function<void()> notify) const;
  // Records that the store has all that the server had at that time; returns whether that is known.
  void NoteCurrentAt(SteadyTime when) const;
  [[nodiscard]] bool WasCurrentAt(SteadyTime when) const;
  [[nodiscard]] InformerStats Stats() const;
  [[nodiscard]] InformerStatus Status() const;
  [[nodiscard]] std::vector<NamespaceStatus> Namespaces() const;
  [[nodiscard]] NotSynced WhyNotSynced() const;
  [[nodiscard]] const std::string& Describe() const;

  [[nodiscard]] Env& env() const;
  // Returns the reading side, which lives as long as this.
  [[nodiscard]] IndexerCore& indexer() const;
  [[nodiscard]] cache::StoreCore& store() const;

  // Calls `notify` on some thread whenever the result of HasSynced, IsEnding or WhyNotSynced may
  // have changed, until the returned token is destroyed. Store versions are reported only while a
  // caller is in WaitForResourceVersion.
  [[nodiscard]] std::shared_ptr<void> Observe(std::function<void()> notify) const;
  // Does the same, and calls `notify` at each version of the store. A caller that registers first
  // and then reads the store misses no version.
  [[nodiscard]] std::shared_ptr<void> ObserveVersions(std::function<void()> notify) const;
  // Returns the version that the store has reached in that namespace; empty: in all that it covers.
  [[nodiscard]] cache::StorePosition PositionOf(std::string_view namespace_) const;
  // Returns how often the server is known to have gone back in time. The store's position is in an
  // earlier epoch until the next list is in the store.
  [[nodiscard]] std::uint64_t Epochs() const;

 private:
  struct Impl;

  explicit InformerCore(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

// Creates an informer outside a factory: `lister_watcher` is used for all its starts.
std::shared_ptr<InformerCore> NewStandaloneInformer(Env& env,
                                                    std::unique_ptr<ListerWatcher> lister_watcher,
                                                    InformerSettings settings);
// Does the same for the namespaces in the settings.
std::shared_ptr<InformerCore> NewStandaloneInformer(Env& env, NamespacedListWatch lister_watchers,
                                                    InformerSettings settings);

// Functions of Listener, whose definition is private.
bool ListenerHasSynced(const cache::Listener& listener);
HandlerStats ListenerStats(const cache::Listener& listener);
Result<void> ListenerWaitForSync(const std::shared_ptr<cache::Listener>& listener,
                                 const std::stop_token& stop, std::optional<Duration> timeout);
Result<void> RemoveListener(const std::shared_ptr<cache::Listener>& listener);

// Waits until all are synced. See SharedInformerFactory::WaitForCacheSync for the errors.
Result<void> WaitForSync(Env& env, const std::vector<std::shared_ptr<InformerCore>>& informers,
                         const std::stop_token& stop, const SyncWaitOptions& options);

// Waits until each of them has all that the server had when this was called; where `since` is
// given, and it is known that one had all at that time or later, nobody is asked.
Result<void> WaitUntilCurrent(Env& env, const std::vector<std::shared_ptr<InformerCore>>& informers,
                              const std::stop_token& stop, std::optional<Duration> timeout,
                              std::optional<SteadyTime> since = {});
Task<Result<void>> CurrentTask(Env& env, std::vector<std::shared_ptr<InformerCore>> informers,
                               std::stop_token stop, std::optional<Duration> timeout,
                               std::optional<SteadyTime> since);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_INFORMER_CORE_H_
