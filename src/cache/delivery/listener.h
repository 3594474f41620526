// cache/delivery/listener.h
//
// Listener: one registered handler: what waits for it, and the calls to it. Counterpart:
// processorListener.

#ifndef KINFORMER_CACHE_DELIVERY_LISTENER_H_
#define KINFORMER_CACHE_DELIVERY_LISTENER_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/event_reader_core.h"
#include "kinformer/internal/raw_event.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/log.h"

#include "base/core/inside.h"
#include "base/core/mutex.h"
#include "cache/delivery/delivery.h"
#include "cache/delivery/handler_caller.h"
#include "cache/delivery/listener_owner.h"
#include "cache/delivery/listener_queue.h"
#include "cache/delivery/notification.h"
#include "cache/delivery/replay.h"

namespace kinformer::internal::cache {

// So often it is looked whether handlers keep up that have something to do.
inline constexpr Duration kHandlerWatchPeriod = std::chrono::seconds(5);

class ListenerMetrics;

struct ListenerConfig {
  HandlerOptions options{};
  // The informer's.
  bool uid_change_is_update = false;
  TraceFunc trace{};
  std::string informer{};  // what messages call it
  // Called by the thread that delivers. `changed`: it has become synced, or idle after Suspend.
  // `drained`: it is no longer full.
  std::function<void()> changed{};
  std::function<void()> drained{};
  std::shared_ptr<ListenerMetrics> metrics{};  // null: none
};

// The loop pushes; a thread of the pool delivers, for a turn at a time. A few events for a handler
// that is prompt are delivered by the loop: to wake a thread would take longer than the calls.
// Thread-safe. Kept alive by its informer, its registrations and its own task.
class Listener : public std::enable_shared_from_this<Listener> {
 public:
  Listener(Env& env, std::shared_ptr<RawHandler> handler, ListenerConfig config,
           std::weak_ptr<ListenerOwner> owner);
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
  // what waits is kept. With AtStop::kDrain it goes on until nothing waits. Who waits for it to
  // sync is told where that will not come.
  void Suspend();
  void Resume();
  // Says once in the log that the handler does not keep up. False: nothing waits, so that it need
  // not be looked at before the next push.
  bool NameIfSlow();
  // kBlock, and at its bound.
  [[nodiscard]] bool Full() const { return full_.load(std::memory_order_acquire); }

  // ---- by the reader of a PulledHandler
  // See PullEvents.
  Result<void> Pull(std::size_t most, std::optional<SteadyTime> deadline,
                    const std::stop_token& stop, std::vector<PulledEvent>& events);

  // ---- by anyone
  // No callback starts any more. Waits for one that runs, except inside it.
  Result<void> Remove();
  // The same without the wait.
  void Discard();
  // Nothing comes any more. Discards what waits; with AtStop::kDrain once that is delivered.
  void End();
  // Waits until no callback runs, except inside one, and with AtStop::kDrain until nothing waits.
  void WaitIdle();
  // kStopped also where the informer has stopped and no callback is under way.
  Result<void> WaitForSync(const std::stop_token& stop, std::optional<Duration> timeout);
  [[nodiscard]] bool HasSynced() const { return synced_.load(std::memory_order_acquire); }
  [[nodiscard]] bool removed() const { return removed_.load(std::memory_order_acquire); }
  [[nodiscard]] HandlerStats Stats() const;
  [[nodiscard]] const HandlerOptions& options() const { return config_.options; }
  [[nodiscard]] Env& env() const { return env_; }
  [[nodiscard]] const std::weak_ptr<ListenerOwner>& owner() const { return owner_; }

 private:
  struct Turn;

  // Changes the queue by `change(queue, discarded)`, unless it is removed, and sees to it that what
  // waits then is delivered.
  template <class Change>
  void ChangeQueue(Change change);
  // Takes what a reader gets next. kNothing: there is nothing. kSynced: there may be more.
  ListenerQueue::Taken TakePulled(std::size_t most, std::vector<PulledEvent>& events);
  // True: the caller calls Announce, since a reader has something to read.
  bool NeedsAnnouncement() KINFORMER_REQUIRES(mutex_);
  void Announce();
  [[nodiscard]] bool Readable() const;
  // True: the caller posts a turn, which is the listener's only one.
  bool NeedsTurn() KINFORMER_REQUIRES(mutex_);
  void PostTurn();
  [[nodiscard]] bool FitsTheLoop() const;
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
  // Why a wait for it to sync ends now though it may not have synced. Empty: it goes on.
  [[nodiscard]] std::optional<Error> EndOfWait(const std::stop_token& stop) const;
  [[nodiscard]] bool InformerIsStopped() const;
  [[nodiscard]] bool Running() const;
  // Is there anything that WaitIdle waits for?
  [[nodiscard]] bool Busy() const;
  [[nodiscard]] bool drains() const { return config_.options.at_stop == AtStop::kDrain; }
  void LogLate(std::string_view what, LogLevel level) const;
  [[nodiscard]] std::shared_ptr<Monitor> MonitorForWaiting();

  Env& env_;
  const ListenerConfig config_;
  const std::weak_ptr<ListenerOwner> owner_;
  // Null: events are delivered, by turns on the pool. Else they wait to be fetched.
  const std::shared_ptr<const PulledHandler> pulled_;
  // Its callbacks work for whoever it was registered inside of.
  const std::vector<const void*> inside_ = base::Inside::All();
  HandlerCaller caller_;

  mutable base::Mutex mutex_;
  ListenerQueue queue_ KINFORMER_GUARDED_BY(mutex_);
  // A turn is posted or running.
  bool scheduled_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool running_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool announced_ KINFORMER_GUARDED_BY(mutex_) = false;  // to the reader
  bool ended_ KINFORMER_GUARDED_BY(mutex_) = false;
  SteadyTime behind_since_ KINFORMER_GUARDED_BY(mutex_){};  // while a turn is scheduled
  std::shared_ptr<Monitor> monitor_ KINFORMER_GUARDED_BY(mutex_);
  // Of the turn while one is scheduled, else guarded by the mutex.
  Delivery delivery_;
  std::vector<RawEvent> batch_;
  bool named_slow_ = false;  // of the loop

  std::atomic<bool> removed_{false};
  std::atomic<bool> suspended_{false};
  std::atomic<bool> synced_{false};
  std::atomic<bool> full_{false};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_LISTENER_H_
