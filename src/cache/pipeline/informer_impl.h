// cache/pipeline/informer_impl.h
//
// InformerCore::Impl: what tasks on the loop keep alive of an informer.

#ifndef KINFORMER_CACHE_PIPELINE_INFORMER_IMPL_H_
#define KINFORMER_CACHE_PIPELINE_INFORMER_IMPL_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/informer_core.h"

#include "base/mutex.h"
#include "cache/pipeline/handler_set.h"
#include "cache/pipeline/index_adder.h"
#include "cache/pipeline/informer_controller.h"
#include "cache/pipeline/informer_life.h"
#include "cache/pipeline/informer_metrics.h"
#include "cache/pipeline/informer_observers.h"
#include "cache/pipeline/processor.h"
#include "cache/pipeline/reflector_status.h"
#include "cache/pipeline/version_wait.h"
#include "cache/store/store_core.h"

namespace kinformer::internal {

// What a user may set before Start.
struct UserFunctions {
  RawTransform transform{};
  cache::WatchErrorHandler watch_error_handler{};
};

struct InformerCore::Impl final : public StoreOwner {
  enum class State : std::uint8_t { kCreated, kRunning, kStopped };

  Impl(Env& e, std::string d, ListerWatcherSource s, InformerSettings o);

  // ---- by anyone
  // What metrics call it.
  [[nodiscard]] const std::string& MetricsName() const {
    return settings.name.empty() ? describe : settings.name;
  }
  [[nodiscard]] bool Is(State s) const { return state.load(std::memory_order_acquire) == s; }
  [[nodiscard]] UserFunctions Functions() const;
  // kStopped after Start. `what` for the message: "a transform".
  Result<void> SetFunctions(std::string_view what, const std::function<void(UserFunctions&)>& set);

  // StoreOwner
  [[nodiscard]] Result<void> Complete(const cache::Coverage& coverage) const override;
  Result<void> AddIndexes(NamedIndexFunctions indexes, bool skip_existing) override;
  Result<void> RemoveIndexes(std::vector<std::string> names) override;
  [[nodiscard]] Result<void> WaitForResourceVersion(std::string_view resourceVersion,
                                                    const std::stop_token& stop,
                                                    std::optional<Duration> timeout) const override;

  // ---- on the loop
  void StartOnLoop();
  // `final`: it will not start again.
  void StopOnLoop(bool final);
  void Join(const std::shared_ptr<cache::Listener>& listener, Duration resync_period);
  void OnSynced();
  void OnCommitted() { version_waiters.Changed(*observers); }
  // Works off what waits in the queue.
  void Process();

  Env& env;
  const std::string describe;
  const InformerSettings settings;
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
  cache::PipelineCounters counters;
  cache::ReflectorStatus reflector_status;
  cache::VersionWaiters version_waiters;
  cache::HandlerSet handlers;

  // Of the loop.
  ListerWatcherSource source;
  bool ever_synced = false;
  bool ended = false;
  cache::Processor processor;
  std::unique_ptr<cache::InformerLife> life;  // null while it does not run

 private:
  mutable std::atomic<bool> read_too_early_{false};  // and it has been said
  mutable base::Mutex mutex_;
  UserFunctions functions_ KINFORMER_GUARDED_BY(mutex_);
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CACHE_PIPELINE_INFORMER_IMPL_H_
