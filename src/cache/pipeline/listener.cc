#include "cache/pipeline/listener.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/deadline.h"
#include "cache/pipeline/informer_metrics.h"

namespace kinformer::internal::cache {
namespace {

// A turn on the pool; then other listeners have theirs.
constexpr Duration kTurn = std::chrono::milliseconds(5);
constexpr std::uint64_t kTurnCallbacks = 512;
// More events than this are not destroyed on the loop.
constexpr std::size_t kMostDestroyedAtOnce = 256;

// The listener whose callback is on this thread's stack. In a simulation a callback that waits may
// run those of others on top of it.
thread_local const Listener* t_inside = nullptr;

}  // namespace

struct Listener::Turn {
  SteadyTime end;
  std::uint64_t last_callback;
};

Listener::Listener(Env& env, std::shared_ptr<RawHandler> handler, ListenerConfig config,
                   std::weak_ptr<InformerCore::Impl> owner)
    : env_(env),
      config_(std::move(config)),
      owner_(std::move(owner)),
      caller_(env, std::move(handler), config_.options.name,
              config_.trace == nullptr ? HandlerCaller::Trace()
                                       : [this](TraceEvent& event) {
                                           {
                                             base::MutexLock lock(mutex_);
                                             event.depth = queue_.Waiting().events;
                                           }
                                           config_.trace(event);
                                         }),
      queue_(config_.options, config_.uid_change_is_update) {}

Listener::~Listener() = default;

// ---- what waits

template <class Change>
void Listener::ChangeQueue(Change change) {
  ListenerQueue::Discarded discarded;
  bool wakes = false;
  {
    base::MutexLock lock(mutex_);
    if (removed_.load(std::memory_order_relaxed)) return;
    change(queue_, discarded);
    UpdateFull();
    ReportMetrics();
    wakes = NeedsTurn();
  }
  // Not under the lock, where the thread that wakes would only wait for it.
  if (wakes) PostTurn();
  Destroy(std::move(discarded));
}

void Listener::Push(std::span<const Notification> events,
                    std::shared_ptr<const SnapshotCore> after) {
  if (events.empty()) return;
  ChangeQueue([&](ListenerQueue& queue, ListenerQueue::Discarded& discarded) {
    queue.Push(events, std::move(after), discarded);
  });
}

void Listener::PushReplay(Replay replay) {
  ChangeQueue([&](ListenerQueue& queue, ListenerQueue::Discarded& discarded) {
    queue.PushReplay(std::move(replay), discarded);
  });
}

void Listener::PushSynced() {
  ChangeQueue([](ListenerQueue& queue, ListenerQueue::Discarded&) { queue.PushSynced(); });
}

bool Listener::UpdateFull() {
  const bool was_full = full_.load(std::memory_order_relaxed);
  const bool is_full = !removed_.load(std::memory_order_relaxed) && queue_.IsFull(was_full);
  if (is_full != was_full) full_.store(is_full, std::memory_order_release);
  return was_full && !is_full;
}

void Listener::ReportMetrics() {
  if (config_.metrics == nullptr) return;
  ListenerMetrics& metrics = *config_.metrics;
  const PendingEvents::Load waiting = queue_.Waiting();
  metrics.waiting.Set(waiting.events);
  metrics.waiting_bytes.Set(waiting.bytes);
  metrics.delivered.Follow(caller_.delivered());
  metrics.coalesced.Follow(queue_.coalesced());
  metrics.dropped.Follow(queue_.dropped());
}

void Listener::Clear(ListenerQueue::Discarded& discarded, Delivery& undelivered) {
  queue_.Clear(discarded);
  std::swap(delivery_, undelivered);
  ReportMetrics();
}

// What is much is destroyed on the pool, so that nobody who only lets go of it is held up.
void Listener::Destroy(ListenerQueue::Discarded discarded) {
  std::size_t events = 0;
  for (const ListenerQueue::Section& section : discarded) {
    if (section.events != nullptr) events += section.events->load().events;
  }
  if (events <= kMostDestroyedAtOnce) return;
  env_.pool().Post([garbage = std::move(discarded)]() mutable { garbage.clear(); });
}

// ---- delivery

bool Listener::NeedsTurn() {
  if (scheduled_ || Halted()) return false;
  scheduled_ = true;
  return true;
}

void Listener::PostTurn() {
  env_.pool().Post([self = shared_from_this()] { self->RunTurn(); });
}

bool Listener::Halted() const {
  return removed_.load(std::memory_order_acquire) || suspended_.load(std::memory_order_acquire);
}

void Listener::RunTurn() {
  const Listener* const outer = std::exchange(t_inside, this);
  const Turn turn{env_.Now() + kTurn, caller_.delivered() + kTurnCallbacks};
  while (Continue(turn)) Deliver();
  t_inside = outer;
  Notify();
  if (config_.changed && suspended_.load(std::memory_order_acquire)) config_.changed();
}

bool Listener::Continue(const Turn& turn) {
  using Taken = ListenerQueue::Taken;
  Taken taken = Taken::kNothing;
  bool drained = false;
  bool continues_later = false;
  ListenerQueue::Discarded discarded;
  Delivery undelivered;
  {
    base::MutexLock lock(mutex_);
    running_ = true;
    if (!Halted()) {
      taken = delivery_.empty() ? queue_.Take(delivery_, discarded) : Taken::kWork;
    }
    drained = UpdateFull();
    ReportMetrics();
    if (taken == Taken::kNothing) {
      scheduled_ = false;
      running_ = false;
      if (removed_.load(std::memory_order_relaxed)) Clear(discarded, undelivered);
    } else if (taken == Taken::kWork &&
               (env_.Now() >= turn.end || caller_.delivered() >= turn.last_callback)) {
      // The others have their turn; what was taken is carried over.
      continues_later = true;
      running_ = false;
    }
  }
  if (continues_later) PostTurn();
  if (drained && config_.drained) config_.drained();
  if (taken == Taken::kSynced) {
    synced_.store(true, std::memory_order_release);
    Notify();
    if (config_.changed) config_.changed();
  }
  return taken != Taken::kNothing && !continues_later;
}

void Listener::Deliver() {
  RawEvent event;
  while (!Halted() && delivery_.Next(event) == Delivery::Step::kEvent) caller_.Call(event);
}

// ---- waiting and ending

std::shared_ptr<Monitor> Listener::MonitorForWaiting() {
  base::MutexLock lock(mutex_);
  if (monitor_ == nullptr) monitor_ = env_.NewMonitor();
  return monitor_;
}

void Listener::Notify() {
  std::shared_ptr<Monitor> monitor;
  {
    base::MutexLock lock(mutex_);
    monitor = monitor_;
  }
  if (monitor == nullptr) return;
  MonitorLock lock(*monitor);
  monitor->NotifyAll();
}

bool Listener::Running() const {
  base::MutexLock lock(mutex_);
  return running_;
}

void Listener::Suspend() {
  base::MutexLock lock(mutex_);
  suspended_.store(true, std::memory_order_release);
}

void Listener::Resume() {
  bool wakes = false;
  {
    base::MutexLock lock(mutex_);
    suspended_.store(false, std::memory_order_release);
    // A turn that is scheduled goes on by itself, and what it delivers is its own.
    wakes = !scheduled_ && !(queue_.empty() && delivery_.empty()) && NeedsTurn();
  }
  if (wakes) PostTurn();
}

void Listener::Discard() {
  ListenerQueue::Discarded discarded;
  Delivery undelivered;
  {
    base::MutexLock lock(mutex_);
    removed_.store(true, std::memory_order_release);
    UpdateFull();
    // Else the turn cleans up after itself.
    if (!scheduled_) Clear(discarded, undelivered);
  }
  Destroy(std::move(discarded));
  Notify();
}

Result<void> Listener::Remove() {
  Discard();
  if (t_inside == this || !Running()) return {};
  if (env_.OnLoopThread()) {
    return Error(Reason::kWouldDeadlock,
                 "handler " + options().name +
                     " is removed, but a callback of it still runs, and the loop thread cannot "
                     "wait for it; call RemoveEventHandler from another thread");
  }
  WaitIdle();
  return {};
}

void Listener::WaitIdle() {
  if (t_inside == this || !Running()) return;
  const std::shared_ptr<Monitor> monitor = MonitorForWaiting();
  MonitorLock lock(*monitor);
  while (Running()) lock.Wait();
}

Result<void> Listener::WaitForSync(const std::stop_token& stop, std::optional<Duration> timeout) {
  if (HasSynced()) return {};
  if (env_.OnLoopThread() || t_inside == this) {
    return Error(Reason::kWouldDeadlock,
                 "waiting for handler " + options().name + " to sync on " +
                     (t_inside == this ? "its own callback" : "the loop thread") +
                     " would wait for itself; wait elsewhere");
  }
  const std::shared_ptr<Monitor> monitor = MonitorForWaiting();
  const std::stop_callback on_stop(stop, [monitor] {
    MonitorLock lock(*monitor);
    monitor->NotifyAll();
  });
  const SteadyTime deadline = base::After(env_.Now(), timeout.value_or(Duration(0)));
  MonitorLock lock(*monitor);
  for (;;) {
    if (HasSynced()) return {};
    if (removed()) {
      return Error(Reason::kStopped, "handler " + options().name + " was removed before it synced");
    }
    if (stop.stop_requested()) {
      return Error(Reason::kCanceled,
                   "stopped while handler " + options().name + " was not synced");
    }
    if (!timeout) {
      lock.Wait();
    } else if (!lock.WaitUntil(deadline) && env_.Now() >= deadline && !HasSynced()) {
      return Error(Reason::kDeadlineExceeded,
                   "handler " + options().name + " did not sync in time");
    }
  }
}

HandlerStats Listener::Stats() const {
  HandlerStats stats;
  stats.name = options().name;
  stats.synced = HasSynced();
  caller_.Report(stats);
  base::MutexLock lock(mutex_);
  const PendingEvents::Load waiting = queue_.Waiting();
  stats.waiting = waiting.events;
  stats.waiting_bytes = waiting.bytes;
  stats.coalesced = queue_.coalesced();
  stats.dropped = queue_.dropped();
  return stats;
}

}  // namespace kinformer::internal::cache
