// cache/informer/informer_impl.h
//
// InformerCore::Impl: what tasks on the loop keep alive of an informer.

#ifndef KINFORMER_CACHE_INFORMER_INFORMER_IMPL_H_
#define KINFORMER_CACHE_INFORMER_INFORMER_IMPL_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/informer_core.h"

#include "base/core/mutex.h"
#include "cache/apply/informer_controller.h"
#include "cache/apply/namespace_versions.h"
#include "cache/delivery/handler_set.h"
#include "cache/delivery/listener_owner.h"
#include "cache/delivery/processor.h"
#include "cache/figures/informer_metrics.h"
#include "cache/figures/informer_observers.h"
#include "cache/informer/index_adder.h"
#include "cache/informer/informer_life.h"
#include "cache/informer/informer_statuses.h"
#include "cache/informer/version_wait.h"
#include "cache/store/store_core.h"

namespace kinformer::internal {

// The namespaces that those settings name; empty: all.
[[nodiscard]] std::set<std::string, std::less<>> NamespacesOf(const InformerSettings& settings);

// kStopped: what an informer that was never started, and its factory, answer after the factory's
// Shutdown.
[[nodiscard]] Error FactoryIsShutDown();

// What a user may set before Start.
struct UserFunctions {
  RawTransform transform{};
  cache::WatchErrorHandler watch_error_handler{};
};

struct InformerCore::Impl final : public StoreOwner,
                                  public cache::ListenerOwner,
                                  public std::enable_shared_from_this<InformerCore::Impl> {
  enum class State : std::uint8_t { kCreated, kRunning, kStopped };

  Impl(Env& e, std::string d, ListerWatcherSource s, InformerSettings o);

  [[nodiscard]] static Impl& Of(const InformerCore& informer) { return *informer.impl_; }

  // ---- by anyone
  // Returns the name that metrics have for it.
  [[nodiscard]] const std::string& MetricsName() const {
    return settings.name.empty() ? describe : settings.name;
  }
  [[nodiscard]] bool Is(State s) const { return state.load(std::memory_order_acquire) == s; }
  [[nodiscard]] UserFunctions Functions() const;
  // kStopped after Start. `what` for the message: "a transform".
  Result<void> SetFunctions(std::string_view what, const std::function<void(UserFunctions&)>& set);

  // The factory that has this informer starts nothing any more. Its own Start still works.
  void FactoryEnded() { factory_ended_.store(true, std::memory_order_release); }
  [[nodiscard]] bool WaitsForEndedFactory() const {
    return factory_ended_.load(std::memory_order_acquire) && Is(State::kCreated);
  }

  // True the first time.
  bool NameOnce(std::string_view option);

  // StoreOwner
  [[nodiscard]] Result<void> Complete(const cache::Coverage& coverage,
                                      std::string_view namespace_) const override;
  void OnRead(const cache::Coverage* coverage) const override;
  Result<void> AddIndexes(NamedIndexFunctions indexes, bool skip_existing) override;
  Result<void> RemoveIndexes(std::vector<std::string> names) override;
  [[nodiscard]] Result<void> WaitForResourceVersion(std::string_view namespace_,
                                                    std::string_view resourceVersion,
                                                    const std::stop_token& stop,
                                                    std::optional<Duration> timeout) const override;

  // ListenerOwner
  [[nodiscard]] const std::string& Describe() const override { return describe; }
  [[nodiscard]] bool HasStarted() const override { return !Is(State::kCreated); }
  [[nodiscard]] bool IsStopped() const override { return Is(State::kStopped); }
  void Forget(const std::shared_ptr<cache::Listener>& listener) override;

  // See InformerCore.
  [[nodiscard]] cache::StorePosition PositionOf(std::string_view namespace_) const;
  // Why it counts as not synced though it has listed: what finds no room. Empty: another reason.
  [[nodiscard]] std::optional<Error> OverLimit() const;

  // ---- on the loop
  // Of one of `places`, or of all (empty). Null where there is none; `status` says so.
  [[nodiscard]] std::unique_ptr<ListerWatcher> NewListerWatcher(const std::string& place,
                                                                cache::ReflectorStatus& status);
  [[nodiscard]] std::unique_ptr<ListerWatcher> NewNamespacesListerWatcher();
  void StartOnLoop();
  // `final`: it will not start again.
  void StopOnLoop(bool final);
  void Join(const std::shared_ptr<cache::Listener>& listener, Duration resync_period);
  // Whoever has a handler waits for a Start: the log says so where none comes.
  void ExpectStart();
  void OnSynced();
  void OnUnsynced();
  void OnCommitted();
  // Works off what waits in the queue.
  void Process();

  Env& env;
  const std::string describe;
  std::optional<Error> refused{};  // why it never lists; set before anyone has it
  const InformerSettings settings;
  // Where it looks, one by one: namespaces, and kOtherNamespaces beside them. Empty: everywhere, or
  // where its ListerWatcher does.
  const std::set<std::string, std::less<>> places;
  const std::shared_ptr<cache::StoreCore> store;
  const std::shared_ptr<cache::IndexAdder> index_adder;
  // What readers have: a handle on the informer, as a pointer to this.
  IndexerCore indexer;
  const std::unique_ptr<cache::InformerMetrics> metrics;  // null: none
  const std::shared_ptr<cache::InformerObservers> observers =
      std::make_shared<cache::InformerObservers>();

  std::atomic<State> state{State::kCreated};
  std::atomic<bool> synced{false};
  std::atomic<bool> torn_down{true};
  std::atomic<bool> said_not_started{false};
  // That the loop has not come to yet.
  std::atomic<int> starts{0};
  std::atomic<int> stops{0};
  cache::PipelineCounters counters;
  cache::InformerStatuses statuses;
  cache::NamespaceVersions versions;
  cache::VersionWaiters version_waiters;
  cache::HandlerSet handlers;

  // Of the loop.
  ListerWatcherSource source;
  bool ever_synced = false;
  // What the last lives had received, in each place; "": of all that it looked at. The store
  // may lack some of that, and with a DeltaFIFO have keys that are ahead of its version: a list of
  // that version would take them back.
  std::map<std::string, std::string, std::less<>> last_seen_versions{};
  // What a list of that place must not be older than; empty: not known.
  [[nodiscard]] std::string LastSeenVersion(const std::string& place) const;
  bool ended = false;
  cache::Processor processor;
  Timer start_expected{};
  std::unique_ptr<cache::InformerLife> life;  // null while it does not run

 private:
  // The log says it, the first time.
  void SayReadTooEarly() const;

  mutable std::atomic<bool> read_too_early_{false};  // and it has been said
  std::atomic<bool> factory_ended_{false};
  [[nodiscard]] std::unique_ptr<ListerWatcher> Made(
      const std::function<std::unique_ptr<ListerWatcher>()>& make);

  mutable base::Mutex mutex_;
  UserFunctions functions_ KINFORMER_GUARDED_BY(mutex_);
  // Options that somebody has asked for in vain.
  std::set<std::string, std::less<>> dropped_options_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CACHE_INFORMER_INFORMER_IMPL_H_
