// cache/delivery/listener.h
//
// Listener: the queue of one registered handler, and the calls to it. Counterpart:
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

#include "kinformer/base/env.h"
#include "kinformer/base/log.h"
#include "kinformer/base/task.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/internal/event_reader_core.h"
#include "kinformer/internal/raw_event.h"
#include "kinformer/internal/snapshot_core.h"

#include "base/core/inside.h"
#include "base/core/mutex.h"
#include "base/loop/signal.h"
#include "cache/delivery/delivery.h"
#include "cache/delivery/handler_caller.h"
#include "cache/delivery/listener_owner.h"
#include "cache/delivery/listener_queue.h"
#include "cache/delivery/notification.h"
#include "cache/delivery/replay.h"

namespace kinformer::internal::cache {

// Interval of the check that handlers with waiting events make progress.
inline constexpr Duration kHandlerWatchPeriod = std::chrono::seconds(5);

class ListenerMetrics;

struct ListenerConfig {
  HandlerOptions options{};
  // Settings of the informer.
  bool uid_change_is_update = false;
  TraceFunc trace{};
  std::string informer{};  // name in messages
  // Called on the delivering thread. `changed`: the handler has synced, or is idle after Suspend.
  // `drained`: the queue is no longer full.
  std::function<void()> changed{};
  std::function<void()> drained{};
  std::shared_ptr<ListenerMetrics> metrics{};  // null: none
};

// The loop pushes events; a thread of the pool delivers them, one turn at a time. The loop itself
// delivers a few events to prompt handlers, as waking a thread would take longer than the calls.
// Thread-safe. Kept alive by its informer, its registrations and its own task.
class Listener : public std::enable_shared_from_this<Listener> {
 public:
  Listener(Env& env, std::shared_ptr<RawHandler> handler, ListenerConfig config,
           std::weak_ptr<ListenerOwner> owner);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // ---- on the loop
  // `after`: the store after these events; needed with kDropAndResync, else null.
  void Push(std::span<const Notification> events, std::shared_ptr<const SnapshotCore> after);
  void PushReplay(Replay replay);
  // Marks the end of the initial list in the queue.
  void PushSynced();
  // Suspend stops callbacks until Resume, except one that is just about to start; waiting events
  // are kept. With AtStop::kDrain callbacks continue until the queue is empty. Notifies threads in
  // WaitForSync if the sync can no longer come.
  void Suspend();
  void Resume();
  // Logs once that the handler does not keep up. Returns false if nothing waits: no further check
  // is needed before the next push.
  bool NameIfSlow();
  // Returns true with kBlock when the bound is reached.
  [[nodiscard]] bool Full() const { return full_.load(std::memory_order_acquire); }

  // ---- on the thread that reads from a PulledHandler
  // See PullEvents, and PullTask.
  Result<void> Pull(std::size_t most, std::optional<SteadyTime> deadline,
                    const std::stop_token& stop, std::vector<PulledEvent>& events);
  static Task<Result<std::vector<PulledEvent>>> Pulled(std::shared_ptr<Listener> self,
                                                       std::size_t most,
                                                       std::optional<SteadyTime> deadline,
                                                       std::stop_token stop);

  // ---- on any thread
  // Starts no more callbacks. Waits for a running one, except when called from inside it.
  Result<void> Remove();
  // Does the same without waiting.
  void Discard();
  // Accepts no more events. Discards those that wait; with AtStop::kDrain after their delivery.
  void End();
  // Waits until no callback runs, unless called from one; with AtStop::kDrain, until none waits.
  void WaitIdle();
  // Returns kStopped also if the informer has stopped and no callback is running.
  Result<void> WaitForSync(const std::stop_token& stop, std::optional<Duration> timeout);
  // Returns the error of a thread that must not wait for the sync, and logs it; empty if it may, or
  // there is nothing to wait for.
  [[nodiscard]] std::optional<Error> WhyNotWait() const;
  static Task<Result<void>> Synced(std::shared_ptr<Listener> self, std::stop_token stop,
                                   std::optional<Duration> timeout);
  [[nodiscard]] bool HasSynced() const { return synced_.load(std::memory_order_acquire); }
  [[nodiscard]] bool removed() const { return removed_.load(std::memory_order_acquire); }
  [[nodiscard]] HandlerStats Stats() const;
  [[nodiscard]] const HandlerOptions& options() const { return config_.options; }
  [[nodiscard]] Env& env() const { return env_; }
  [[nodiscard]] const std::weak_ptr<ListenerOwner>& owner() const { return owner_; }

 private:
  struct Turn;

  // Calls `change(queue, discarded)` unless the handler is removed. Then makes sure that waiting
  // events are delivered.
  template <class Change>
  void ChangeQueue(Change change);
  // Takes the next events for a reader. kNothing: none are left. kSynced: more may follow.
  ListenerQueue::Taken TakePulled(std::size_t most, std::vector<PulledEvent>& events);
  // Takes the next events without waiting. Returns the result of the pull; empty: it has to wait.
  std::optional<Result<void>> TryPull(std::size_t most, std::optional<SteadyTime> deadline,
                                      const std::stop_token& stop,
                                      std::vector<PulledEvent>& events);
  // Returns true if the caller must call Announce, as a reader has something to read.
  bool NeedsAnnouncement() KINFORMER_REQUIRES(mutex_);
  void Announce();
  [[nodiscard]] bool Readable() const;
  // Returns true if the caller must post a turn. A listener has at most one.
  bool NeedsTurn() KINFORMER_REQUIRES(mutex_);
  void PostTurn();
  [[nodiscard]] bool FitsTheLoop() const;
  void RunTurn();
  // Takes the next events to deliver. Returns false at the end of the turn.
  bool Continue(const Turn& turn);
  void Deliver();
  [[nodiscard]] bool Halted() const;
  // Returns true if the queue has ceased to be full.
  bool UpdateFull() KINFORMER_REQUIRES(mutex_);
  void Clear(ListenerQueue::Discarded& discarded, Delivery& undelivered) KINFORMER_REQUIRES(mutex_);
  void Destroy(ListenerQueue::Discarded discarded);
  void ReportMetrics() KINFORMER_REQUIRES(mutex_);

  void Notify();
  // Returns the reason why a wait for the sync ends without it; empty if it continues.
  [[nodiscard]] std::optional<Error> EndOfWait(const std::stop_token& stop) const;
  [[nodiscard]] bool InformerIsStopped() const;
  [[nodiscard]] bool Running() const;
  class WaitsForOthers;
  // Returns whether WaitIdle has anything to wait for. In a callback of another listener that is
  // not a callback which waits for others itself.
  [[nodiscard]] bool Busy() const;
  [[nodiscard]] bool drains() const { return config_.options.at_stop == AtStop::kDrain; }
  // Returns whether events wait for the next start of the informer.
  [[nodiscard]] bool suspended() const {
    return !drains() && stopped_.load(std::memory_order_acquire);
  }
  void LogLate(std::string_view what, LogLevel level) const;
  [[nodiscard]] std::shared_ptr<Monitor> MonitorForWaiting();
  // Returns a signal that Notify notifies as long as the caller keeps it.
  [[nodiscard]] std::shared_ptr<base::Signal> SignalForWaiting();

  Env& env_;
  const ListenerConfig config_;
  const std::weak_ptr<ListenerOwner> owner_;
  // null: turns on the pool deliver the events. Else they wait until they are fetched.
  const std::shared_ptr<const PulledHandler> pulled_;
  // Calls on whose behalf it was registered; its callbacks run on behalf of the same ones.
  const std::vector<const void*> inside_ = base::Inside::All();
  HandlerCaller caller_;

  mutable base::Mutex mutex_;
  ListenerQueue queue_ KINFORMER_GUARDED_BY(mutex_);
  // True while a turn is posted or running.
  bool scheduled_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool running_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool announced_ KINFORMER_GUARDED_BY(mutex_) = false;  // the reader was notified
  bool ended_ KINFORMER_GUARDED_BY(mutex_) = false;
  SteadyTime behind_since_ KINFORMER_GUARDED_BY(mutex_){};  // set while a turn is scheduled
  std::shared_ptr<Monitor> monitor_ KINFORMER_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<base::Signal>> signals_ KINFORMER_GUARDED_BY(mutex_);  // of tasks
  // Used by the turn while one is scheduled, else guarded by the mutex.
  Delivery delivery_;
  std::vector<RawEvent> batch_;
  bool named_slow_ = false;  // used on the loop only

  std::atomic<bool> removed_{false};
  std::atomic<bool> stopped_{false};  // the informer was, and has not started again
  std::atomic<bool> synced_{false};
  std::atomic<bool> full_{false};
  std::atomic<int> waits_for_others_{0};  // calls of WaitIdle by the running callback
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_LISTENER_H_
