// cache/informer/informer_impl.h
//
// InformerCore::Impl: the state of an informer that tasks on the loop keep alive.

#ifndef KINFORMER_CACHE_INFORMER_INFORMER_IMPL_H_
#define KINFORMER_CACHE_INFORMER_INFORMER_IMPL_H_

#include <atomic>
#include <cstdint>
#include <functional>
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
#include "cache/apply/part_positions.h"
#include "cache/delivery/handler_set.h"
#include "cache/delivery/listener_owner.h"
#include "cache/delivery/processor.h"
#include "cache/figures/informer_metrics.h"
#include "cache/figures/informer_observers.h"
#include "cache/informer/index_adder.h"
#include "cache/informer/informer_context.h"
#include "cache/informer/informer_parts.h"
#include "cache/informer/informer_statuses.h"
#include "cache/informer/last_seen_versions.h"
#include "cache/informer/version_wait.h"
#include "cache/store/store_core.h"

namespace kinformer::internal {

// Returns the namespaces that the settings name; empty: all.
[[nodiscard]] std::set<std::string, std::less<>> NamespacesOf(const InformerSettings& settings);

// Functions that users may set before Start.
struct UserFunctions {
  RawTransform transform{};
  cache::WatchErrorHandler watch_error_handler{};
};

struct InformerCore::Impl final : public StoreOwner,
                                  public cache::ListenerOwner,
                                  public cache::InformerContext::Owner,
                                  public std::enable_shared_from_this<InformerCore::Impl> {
  using State = cache::InformerStage;

  Impl(Env& e, std::string d, ListerWatcherSource s, InformerSettings o);

  // ---- on any thread
  // Returns the informer's name in metrics.
  [[nodiscard]] const std::string& MetricsName() const {
    return settings.name.empty() ? describe : settings.name;
  }
  [[nodiscard]] bool Is(State s) const { return state.load(std::memory_order_acquire) == s; }
  [[nodiscard]] UserFunctions Functions() const;
  [[nodiscard]] bool HasTransform() const;
  // Returns kStopped after Start. `what` is for the message: "a transform".
  Result<void> SetFunctions(std::string_view what, const std::function<void(UserFunctions&)>& set);

  [[nodiscard]] bool WaitsForEndedFactory() const;

  // Returns true on the first call for this option.
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

  // Returns kOverLimit if too many left-out objects keep it from being synced. Empty: no.
  [[nodiscard]] std::optional<Error> OverLimit() const;

  // ---- on the loop
  // InformerContext::Owner
  void OnSynced() override;
  void OnUnsynced() override;
  void OnCommitted() override;
  [[nodiscard]] std::unique_ptr<ListerWatcher> NewListerWatcher(
      const std::string& place, cache::ReflectorStatus& status) override;
  [[nodiscard]] std::unique_ptr<ListerWatcher> NewNamespacesListerWatcher() override;
  [[nodiscard]] RawTransform Transform() const override { return Functions().transform; }

  void StartOnLoop();
  // `final`: it will not be started again.
  void StopOnLoop(bool final);
  void Join(const std::shared_ptr<cache::Listener>& listener, Duration resync_period);
  // An informer with handlers should be started soon; logs a warning if it is not.
  void ExpectStart();
  // Processes the queue.
  void Process();

  Env& env;
  const std::string describe;
  std::optional<Error> refused{};  // reason why it never lists; set before it is shared
  const InformerSettings settings;
  // Namespaces that it lists separately, and kOtherNamespaces for the rest. Empty: a single list of
  // all that its ListerWatcher covers.
  const std::set<std::string, std::less<>> places;
  const std::shared_ptr<cache::StoreCore> store;
  const std::shared_ptr<cache::IndexAdder> index_adder;
  // The store for readers. Their handles own the informer and point to this member.
  IndexerCore indexer;
  const std::unique_ptr<cache::InformerMetrics> metrics;  // null: none
  const std::shared_ptr<cache::InformerObservers> observers =
      std::make_shared<cache::InformerObservers>();

  std::atomic<State> state{State::kCreated};
  std::atomic<bool> synced{false};
  std::atomic<bool> torn_down{true};
  std::atomic<bool> said_not_started{false};
  std::atomic<SteadyTime> current_at{SteadyTime::min()};  // see NoteCurrentAt
  std::atomic<bool> factory_ended{false};                 // its factory will not start it
  // Calls of Start and Stop whose task on the loop has not run yet.
  std::atomic<int> starts{0};
  std::atomic<int> stops{0};
  cache::PipelineCounters counters;
  cache::InformerStatuses statuses;
  cache::PartPositions positions;
  cache::VersionWaiters version_waiters;
  cache::HandlerSet handlers;

  // Used on the loop only.
  ListerWatcherSource source;
  bool ever_synced = false;
  cache::LastSeenVersions last_seen{};
  bool ended = false;
  cache::Processor processor;
  Timer start_expected{};
  const cache::InformerContext context;         // of the members above, for the parts
  std::unique_ptr<cache::InformerParts> parts;  // null while it is not running

 private:
  // Logs a warning about reads before the sync, the first time only.
  void SayReadTooEarly() const;

  mutable std::atomic<bool> read_too_early_{false};  // set once that is logged
  [[nodiscard]] std::unique_ptr<ListerWatcher> Made(
      const std::function<std::unique_ptr<ListerWatcher>()>& make);

  mutable base::Mutex mutex_;
  UserFunctions functions_ KINFORMER_GUARDED_BY(mutex_);
  // Options already named in a message because this informer does not have them.
  std::set<std::string, std::less<>> dropped_options_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CACHE_INFORMER_INFORMER_IMPL_H_
