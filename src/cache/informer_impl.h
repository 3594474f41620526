// cache/informer_impl.h
//
// InformerCore::Impl: what tasks on the loop keep alive of an informer.

#ifndef KINFORMER_CACHE_INFORMER_IMPL_H_
#define KINFORMER_CACHE_INFORMER_IMPL_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/internal/informer_core.h"

#include "base/mutex.h"
#include "cache/controller.h"
#include "cache/informer_metrics.h"
#include "cache/processor.h"
#include "cache/reflector.h"
#include "cache/store_core.h"

namespace kinformer::internal {

struct InformerCore::Impl final : public ReflectorObserver {
  enum class State : std::uint8_t { kCreated, kRunning, kStopped };

  Impl(Env& e, std::string d, ListerWatcherSource s, InformerSettings o)
      : env(e),
        describe(std::move(d)),
        settings(std::move(o)),
        store(std::make_shared<StoreCore>(
            e, StoreCoreOptions{.name = settings.name.empty() ? describe : settings.name,
                                .compress = settings.compression != Compression::kNone})),
        metrics(InformerMetrics::For(e, settings.name.empty() ? describe : settings.name)),
        resync_check_period(settings.resync_period),
        source(std::move(s)),
        processor(e, settings.uid_change_is_update) {}

  void StartOnLoop();
  // `final`: it will not start again.
  void StopOnLoop(bool final);
  void Join(const std::shared_ptr<Listener>& listener, Duration resync_period);
  void NotifyObservers();
  void ClearError();

  // ReflectorObserver
  void OnListed() override;
  void OnWatchStarted() override;
  void OnWatchError(const Error& error) override;
  void OnEpochChanged() override;

  Env& env;
  const std::string describe;
  const InformerSettings settings;
  const std::shared_ptr<StoreCore> store;
  const std::unique_ptr<InformerMetrics> metrics;  // null: none

  std::atomic<State> state{State::kCreated};
  std::atomic<bool> synced{false};
  std::atomic<bool> torn_down{true};
  PipelineCounters counters;
  UnreadableNames unreadable;
  std::atomic<std::uint64_t> lists{0};
  std::atomic<std::uint64_t> watches{0};
  std::atomic<std::uint64_t> errors{0};
  std::atomic<std::uint64_t> epochs{0};
  std::atomic<std::uint64_t> handler_number{0};
  mutable std::atomic<std::uint64_t> next_observer{0};

  mutable Mutex mutex;
  std::optional<Error> last_error KINFORMER_GUARDED_BY(mutex);
  Duration resync_check_period KINFORMER_GUARDED_BY(mutex);
  std::vector<std::shared_ptr<Listener>> listeners KINFORMER_GUARDED_BY(mutex);
  std::map<std::uint64_t, std::shared_ptr<std::function<void()>>> observers
      KINFORMER_GUARDED_BY(mutex);

  // Set before Start, read on the loop.
  RawTransform transform;
  std::function<void(const Error&)> watch_error_handler;

  // Of the loop.
  ListerWatcherSource source;
  bool ever_synced = false;
  bool ended = false;
  Processor processor;
  std::unique_ptr<ListerWatcher> lister_watcher;
  std::unique_ptr<Controller> controller;
  std::unique_ptr<Reflector> reflector;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CACHE_INFORMER_IMPL_H_
