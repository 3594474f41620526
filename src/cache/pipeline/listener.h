// cache/pipeline/listener.h
//
// Listener: one registered handler: what waits for it, and the calls to it. Counterpart:
// processorListener.

#ifndef KINFORMER_CACHE_PIPELINE_LISTENER_H_
#define KINFORMER_CACHE_PIPELINE_LISTENER_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "kinformer/env.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/internal/raw_event.h"
#include "kinformer/internal/snapshot_core.h"

#include "base/mutex.h"
#include "cache/pipeline/delivery.h"
#include "cache/pipeline/handler_caller.h"
#include "cache/pipeline/listener_queue.h"
#include "cache/pipeline/notification.h"
#include "cache/pipeline/replay.h"

namespace kinformer::internal::cache {

class ListenerMetrics;

struct ListenerConfig {
  HandlerOptions options{};
  // The informer's.
  bool uid_change_is_update = false;
  std::function<void(const TraceEvent&)> trace{};
  // Called on a pool thread. `changed`: it has become synced, or idle after Suspend. `drained`: it
  // is no longer full.
  std::function<void()> changed{};
  std::function<void()> drained{};
  std::shared_ptr<ListenerMetrics> metrics{};  // null: none
};

// The loop pushes; a thread of the pool delivers, for a turn at a time. Thread-safe. Kept alive by
// its informer, its registrations and its own task.
class Listener : public std::enable_shared_from_this<Listener> {
 public:
  Listener(Env& env, std::shared_ptr<RawHandler> handler, ListenerConfig config,
           std::weak_ptr<InformerCore::Impl> owner);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // ---- by the loop
  // `after`: the store once these have happened; needed by kDropAndResync, else null.
  void Push(std::span<const Notification> events, std::shared_ptr<const SnapshotCore> after);
  void PushReplay(Replay replay);
  // All that makes up the initial list has been pushed.
  void PushSynced();
  // Between Suspend and Resume no callback starts, except one that was about to as Suspend came;
  // what waits is kept.
  void Suspend();
  void Resume();
  // kBlock, and at its bound.
  [[nodiscard]] bool Full() const { return full_.load(std::memory_order_acquire); }

  // ---- by anyone
  // No callback starts any more. Waits for one that runs, except inside it.
  Result<void> Remove();
  // The same without the wait.
  void Discard();
  // Waits until no callback runs, except inside one.
  void WaitIdle();
  Result<void> WaitForSync(const std::stop_token& stop, std::optional<Duration> timeout);
  [[nodiscard]] bool HasSynced() const { return synced_.load(std::memory_order_acquire); }
  [[nodiscard]] bool removed() const { return removed_.load(std::memory_order_acquire); }
  [[nodiscard]] HandlerStats Stats() const;
  [[nodiscard]] const HandlerOptions& options() const { return config_.options; }
  [[nodiscard]] const std::weak_ptr<InformerCore::Impl>& owner() const { return owner_; }

 private:
  struct Turn;

  // Changes the queue by `change(queue, discarded)`, unless it is removed, and sees to it that what
  // waits then is delivered.
  template <class Change>
  void ChangeQueue(Change change);
  // True: the caller posts a turn, which is the listener's only one.
  bool NeedsTurn() KINFORMER_REQUIRES(mutex_);
  void PostTurn();
  void RunTurn();
  // Takes what is to be delivered next. False: the turn is over.
  bool Continue(const Turn& turn);
  void Deliver();
  [[nodiscard]] bool Halted() const;
  // True: it is no longer full.
  bool UpdateFull() KINFORMER_REQUIRES(mutex_);
  void Clear(ListenerQueue::Discarded& discarded, Delivery& undelivered) KINFORMER_REQUIRES(mutex_);
  void Destroy(ListenerQueue::Discarded discarded);
  void ReportMetrics() KINFORMER_REQUIRES(mutex_);

  void Notify();
  [[nodiscard]] bool Running() const;
  [[nodiscard]] std::shared_ptr<Monitor> MonitorForWaiting();

  Env& env_;
  const ListenerConfig config_;
  const std::weak_ptr<InformerCore::Impl> owner_;
  HandlerCaller caller_;

  mutable base::Mutex mutex_;
  ListenerQueue queue_ KINFORMER_GUARDED_BY(mutex_);
  // A turn is posted or running.
  bool scheduled_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool running_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::shared_ptr<Monitor> monitor_ KINFORMER_GUARDED_BY(mutex_);
  // Of the turn while one is scheduled, else guarded by the mutex.
  Delivery delivery_;

  std::atomic<bool> removed_{false};
  std::atomic<bool> suspended_{false};
  std::atomic<bool> synced_{false};
  std::atomic<bool> full_{false};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_PIPELINE_LISTENER_H_
