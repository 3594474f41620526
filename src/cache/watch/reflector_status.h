// cache/watch/reflector_status.h
//
// ReflectorStatus: how listing and watching goes, over all lives of an informer: what is being
// done, the figures, the last error, and the user's watch error handler.

#ifndef KINFORMER_CACHE_WATCH_REFLECTOR_STATUS_H_
#define KINFORMER_CACHE_WATCH_REFLECTOR_STATUS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/env.h"
#include "kinformer/error.h"
#include "kinformer/informer_options.h"

#include "base/core/mutex.h"
#include "cache/figures/informer_observers.h"
#include "cache/watch/reflector.h"

namespace kinformer::internal::cache {

using kinformer::WatchErrorHandler;

// The reflector tells it on the loop; anyone may ask.
class ReflectorStatus final : public ReflectorObserver {
 public:
  // `metrics`: null, or outlives this.
  ReflectorStatus(Env& env, const std::string& informer,
                  std::shared_ptr<InformerObservers> observers, InformerMetrics* metrics)
      : env_(env), informer_(informer), observers_(std::move(observers)), metrics_(metrics) {}

  // On the loop, before a reflector starts. Empty: errors are logged.
  void SetErrorHandler(WatchErrorHandler handler) { on_error_ = std::move(handler); }
  // On the loop, once there is no reflector any more.
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

  // Empty: the last attempt succeeded.
  [[nodiscard]] std::optional<Error> LastError() const;
  [[nodiscard]] std::uint64_t epochs() const { return epochs_.load(std::memory_order_acquire); }
  [[nodiscard]] InformerStatus Status() const;
  // The figures.
  void AddTo(InformerStats& stats) const;

 private:
  // What the Status says besides the figures.
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
  const std::string& informer_;  // what messages call it
  const std::shared_ptr<InformerObservers> observers_;
  InformerMetrics* const metrics_;
  WatchErrorHandler on_error_;  // of the loop

  std::atomic<std::uint64_t> lists_{0};
  std::atomic<std::uint64_t> watch_lists_{0};
  std::atomic<std::uint64_t> watches_{0};
  std::atomic<std::uint64_t> errors_{0};
  std::atomic<std::uint64_t> refusals_{0};
  std::atomic<std::uint64_t> epochs_{0};
  mutable base::Mutex mutex_;
  Now now_ KINFORMER_GUARDED_BY(mutex_);
  SteadyTime said_ KINFORMER_GUARDED_BY(mutex_){};  // when the log had the last error
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_WATCH_REFLECTOR_STATUS_H_
