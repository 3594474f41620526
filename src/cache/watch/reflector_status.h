// cache/watch/reflector_status.h
//
// ReflectorStatus: the state of lists and watches over all lives of an informer, with counters, the
// last error, and the user's watch error handler.

#ifndef KINFORMER_CACHE_WATCH_REFLECTOR_STATUS_H_
#define KINFORMER_CACHE_WATCH_REFLECTOR_STATUS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/cache/informer_options.h"

#include "base/core/mutex.h"
#include "cache/figures/informer_observers.h"
#include "cache/watch/reflector.h"

namespace kinformer::internal::cache {

using kinformer::WatchErrorHandler;

// Updated by the reflector on the loop; read by any thread.
class ReflectorStatus final : public ReflectorObserver {
 public:
  // `metrics` may be null; else it must outlive this object.
  ReflectorStatus(Env& env, const std::string& informer,
                  std::shared_ptr<InformerObservers> observers, InformerMetrics* metrics)
      : env_(env), informer_(informer), observers_(std::move(observers)), metrics_(metrics) {}

  // Called on the loop before a reflector starts. Empty: errors are logged.
  void SetErrorHandler(WatchErrorHandler handler) { on_error_ = std::move(handler); }
  // Called on the loop when no reflector is running any more.
  void Stopped() { Enter(InformerState::kStopped); }

  void OnListing() override { Enter(InformerState::kListing); }
  void OnListed(InitialList kind) override;
  void OnWatching() override { Enter(InformerState::kWatching); }
  void OnWatchStarted() override;
  void OnWatchBroken() override;
  void OnPaused() override { Enter(InformerState::kPaused); }
  void OnWaiting(SteadyTime until) override;
  void OnProgress(SteadyTime when) override;
  void OnWatchError(const Error& error) override;
  void OnEpochChanged() override;

  // Returns the error of the last attempt; empty if it succeeded.
  [[nodiscard]] std::optional<Error> LastError() const;
  [[nodiscard]] std::uint64_t epochs() const { return epochs_.load(std::memory_order_acquire); }
  [[nodiscard]] InformerStatus Status() const;
  // Adds the counters to `stats`.
  void AddTo(InformerStats& stats) const;

 private:
  // The part of the Status without the counters.
  struct Now {
    InformerState state{};
    SteadyTime since{};
    std::optional<SteadyTime> retry_at{};
    std::optional<Error> error{};
    std::optional<SteadyTime> progress{};
    std::optional<SteadyTime> epoch{};
  };

  void Enter(InformerState state);
  void EnterLocked(InformerState state) KINFORMER_REQUIRES(mutex_);
  void ClearError();

  Env& env_;
  const std::string& informer_;  // name in messages
  const std::shared_ptr<InformerObservers> observers_;
  InformerMetrics* const metrics_;
  WatchErrorHandler on_error_;  // used on the loop only

  std::atomic<std::uint64_t> lists_{0};
  std::atomic<std::uint64_t> watch_lists_{0};
  std::atomic<std::uint64_t> watches_{0};
  std::atomic<std::uint64_t> errors_{0};
  std::atomic<std::uint64_t> refusals_{0};
  std::atomic<std::uint64_t> epochs_{0};
  mutable base::Mutex mutex_;
  Now now_ KINFORMER_GUARDED_BY(mutex_);
  SteadyTime said_ KINFORMER_GUARDED_BY(mutex_){};  // time when the last error was logged
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_REFLECTOR_STATUS_H_
