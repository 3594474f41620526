#include "cache/delivery/listener.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/core/deadline.h"
#include "base/core/inside.h"
#include "base/core/user_call.h"
#include "base/core/would_deadlock.h"
#include "base/loop/own_work.h"
#include "cache/figures/informer_metrics.h"
#include "object/values/object_key.h"

namespace kinformer::internal::cache {
namespace {

// Limits of a turn on the pool, so that other listeners get theirs.
constexpr Duration kTurn = std::chrono::milliseconds(5);
constexpr std::uint64_t kTurnCallbacks = 512;
// More events than this are not delivered on the loop.
constexpr std::size_t kMostOnLoop = 16;
// More events than this are not destroyed on the loop.
constexpr std::size_t kMostDestroyedAtOnce = 256;
// Limit of one call to a handler that takes batches.
constexpr std::size_t kMostInBatch = 1024;
// Time after which a slow handler is named in the log, and so is one that someone waits for.
constexpr Duration kLate = std::chrono::seconds(10);

std::string Seconds(Duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + "s";
}

// The listener whose callback is on this thread's stack. In a simulation, a callback that waits may
// run callbacks of others on top of it.
thread_local Listener* t_inside = nullptr;

}  // namespace

struct Listener::Turn {
  SteadyTime end;
  std::uint64_t last_callback;
};

Listener::Listener(Env& env, std::shared_ptr<RawHandler> handler, ListenerConfig config,
                   std::weak_ptr<ListenerOwner> owner)
    : env_(env),
      config_(std::move(config)),
      owner_(std::move(owner)),
      pulled_(std::dynamic_pointer_cast<const PulledHandler>(handler)),
      caller_(env, std::move(handler), config_.options.name,
              config_.trace == nullptr ? HandlerCaller::Trace()
                                       : [this](TraceEvent& event) {
                                           {
                                             base::MutexLock lock(mutex_);
                                             event.depth = queue_.Waiting().events;
                                           }
                                           config_.trace(event);
                                         }),
      queue_(config_.options, config_.uid_change_is_update,
             caller_.takes_batches() ? kMostInBatch : 1) {}

Listener::~Listener() = default;

// ---- the queue

template <class Change>
void Listener::ChangeQueue(Change change) {
  ListenerQueue::Discarded discarded;
  bool wakes = false;
  bool announces = false;
  {
    base::MutexLock lock(mutex_);
    if (removed_.load(std::memory_order_relaxed)) return;
    change(queue_, discarded);
    UpdateFull();
    ReportMetrics();
    wakes = NeedsTurn();
    announces = NeedsAnnouncement();
  }
  if (announces) Announce();
  // Outside the lock, for which the woken thread would only wait.
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

// Destroys many events on a thread of the library, so that the caller is not delayed, and a handler
// that blocks the pool does not keep them in memory.
void Listener::Destroy(ListenerQueue::Discarded discarded) {
  std::size_t events = 0;
  for (const ListenerQueue::Section& section : discarded) {
    if (section.events != nullptr) events += section.events->load().events;
  }
  if (events <= kMostDestroyedAtOnce) return;
  base::OwnWorkOf(env_).threads.Post(
      [garbage = std::move(discarded)]() mutable { garbage.clear(); });
}

// ---- delivery

bool Listener::NeedsTurn() {
  if (pulled_ != nullptr || scheduled_ || Halted()) return false;
  scheduled_ = true;
  behind_since_ = env_.Now();
  return true;
}

void Listener::PostTurn() {
  if (!FitsTheLoop()) {
    env_.pool().Post([self = shared_from_this()] { self->RunTurn(); });
    return;
  }
  env_.loop().Post([self = shared_from_this()] {
    // More events may have arrived meanwhile.
    if (self->FitsTheLoop()) {
      self->RunTurn();
    } else {
      self->PostTurn();
    }
  });
}

bool Listener::FitsTheLoop() const {
  // A trace is user code and may be slow.
  if (!caller_.is_prompt() || config_.trace != nullptr) return false;
  base::MutexLock lock(mutex_);
  return delivery_.empty() && queue_.only_live() && queue_.Waiting().events <= kMostOnLoop;
}

bool Listener::Halted() const { return removed_.load(std::memory_order_acquire) || suspended(); }

void Listener::RunTurn() {
  const base::Inside inside(inside_);
  Listener* const outer = std::exchange(t_inside, this);
  const Turn turn{env_.Now() + kTurn, caller_.delivered() + kTurnCallbacks};
  while (Continue(turn)) Deliver();
  t_inside = outer;
  Notify();
  if (config_.changed && suspended()) config_.changed();
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
      if (ended_) removed_.store(true, std::memory_order_release);
      if (removed_.load(std::memory_order_relaxed)) Clear(discarded, undelivered);
    } else if (taken == Taken::kWork &&
               (env_.Now() >= turn.end || caller_.delivered() >= turn.last_callback)) {
      // Ends the turn in favor of other listeners; events already taken are delivered in the next.
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
  if (caller_.takes_batches()) {
    while (!Halted()) {
      batch_.clear();
      if (delivery_.NextBatch(kMostInBatch, batch_) != Delivery::Step::kEvent) break;
      caller_.CallBatch(batch_);
    }
    return;
  }
  RawEvent event;
  while (!Halted() && delivery_.Next(event) == Delivery::Step::kEvent) caller_.Call(event);
}

// ---- fetching

bool Listener::NeedsAnnouncement() {
  if (pulled_ == nullptr || announced_ || Halted()) return false;
  if (queue_.empty() && delivery_.empty()) return false;
  announced_ = true;
  return true;
}

void Listener::Announce() {
  Notify();
  if (!pulled_->readable()) return;
  (void)base::CallUser(env_, "on_readable", [&] { pulled_->readable()(); });
}

ListenerQueue::Taken Listener::TakePulled(std::size_t most, std::vector<PulledEvent>& events) {
  using Taken = ListenerQueue::Taken;
  Taken taken = Taken::kNothing;
  bool drained = false;
  ListenerQueue::Discarded discarded;
  Delivery undelivered;
  std::vector<RawEvent> batch;
  {
    base::MutexLock lock(mutex_);
    if (!Halted()) {
      taken = delivery_.empty() ? queue_.Take(delivery_, discarded) : Taken::kWork;
    }
    if (taken == Taken::kWork) {
      // Stops after one batch: a long walk over unchanged objects would block others on the lock.
      static_cast<void>(delivery_.NextBatch(most, batch));
      for (const RawEvent& event : batch) {
        PulledEvent& pulled = events.emplace_back();
        pulled.type = event.type;
        pulled.is_in_initial_list = event.is_in_initial_list;
        pulled.final_state_unknown = event.final_state_unknown;
        pulled.epoch = event.epoch;
        pulled.version = event.version;
        pulled.object = ObjectRef::Share(event.block);
        if (event.type == EventType::kUpdated) {
          pulled.old_object = ObjectRef::Share(event.old_block);
        }
      }
    }
    drained = UpdateFull();
    caller_.CountPulled(batch.size());
    ReportMetrics();
    if (taken == Taken::kNothing) {
      announced_ = false;
      if (ended_) removed_.store(true, std::memory_order_release);
      if (removed_.load(std::memory_order_relaxed)) Clear(discarded, undelivered);
    }
  }
  if (drained && config_.drained) config_.drained();
  if (taken == Taken::kSynced) {
    synced_.store(true, std::memory_order_release);
    Notify();
    if (config_.changed) config_.changed();
  }
  return taken;
}

std::optional<Result<void>> Listener::TryPull(std::size_t most, std::optional<SteadyTime> deadline,
                                              const std::stop_token& stop,
                                              std::vector<PulledEvent>& events) {
  do {
    while (events.empty() && TakePulled(most, events) != ListenerQueue::Taken::kNothing) {
    }
  } while (events.empty() && !removed() && Readable());
  if (events.empty()) {
    if (removed()) {
      return Error(Reason::kStopped, "the reader " + options().name +
                                         " has ended: it was removed, or its informer is gone");
    }
    if (stopped_.load(std::memory_order_acquire) && InformerIsStopped()) {
      return Error(Reason::kStopped, "the reader " + options().name +
                                         " has no more events: its informer was stopped");
    }
    if (stop.stop_requested()) {
      return Error(Reason::kCanceled, "stopped while the reader " + options().name + " waited");
    }
    if (deadline && env_.Now() >= *deadline) {
      return Error(Reason::kDeadlineExceeded, "nothing has happened in time");
    }
    return std::nullopt;
  }
  for (PulledEvent& event : events) {
    AppendObjectKey(event.object->namespace_(), event.object->name(), event.key);
    const bool is_resync = event.old_object == event.object;
    if (event.object->packed()) event.object = Unpacked(event.object);
    if (is_resync) {
      event.old_object = event.object;
    } else if (event.old_object && event.old_object->packed()) {
      event.old_object = Unpacked(event.old_object);
    }
  }
  return Result<void>();
}

Result<void> Listener::Pull(std::size_t most, std::optional<SteadyTime> deadline,
                            const std::stop_token& stop, std::vector<PulledEvent>& events) {
  if (std::optional<Result<void>> done = TryPull(most, deadline, stop, events)) {
    return *std::move(done);
  }
  if (env_.OnLoopThread()) {
    return base::WouldDeadlock(
        env_,
        "a reader that waits on the loop thread would wait for itself; give Next a "
        "deadline that is over");
  }
  auto pulled = BlockOn(env_, Pulled(shared_from_this(), most, deadline, stop));
  if (!pulled) return std::move(pulled).error();
  events = *std::move(pulled);
  return {};
}

Task<Result<std::vector<PulledEvent>>> Listener::Pulled(std::shared_ptr<Listener> self,
                                                        std::size_t most,
                                                        std::optional<SteadyTime> deadline,
                                                        std::stop_token stop) {
  std::vector<PulledEvent> events;
  const auto check = [&] { return self->TryPull(most, deadline, stop, events); };
  const Result<void> done =
      co_await base::AwaitUntil(self->env_, self->SignalForWaiting(), stop, deadline, check);
  if (!done) co_return done.error();
  co_return events;
}

bool Listener::Readable() const {
  base::MutexLock lock(mutex_);
  return announced_;
}

// ---- waiting and ending

std::shared_ptr<Monitor> Listener::MonitorForWaiting() {
  base::MutexLock lock(mutex_);
  if (monitor_ == nullptr) monitor_ = env_.NewMonitor();
  return monitor_;
}

std::shared_ptr<base::Signal> Listener::SignalForWaiting() {
  auto signal = std::make_shared<base::Signal>();
  base::MutexLock lock(mutex_);
  std::erase_if(signals_, [](const auto& one) { return one.expired(); });
  signals_.push_back(signal);
  return signal;
}

void Listener::Notify() {
  std::shared_ptr<Monitor> monitor;
  std::vector<std::weak_ptr<base::Signal>> signals;
  {
    base::MutexLock lock(mutex_);
    monitor = monitor_;
    signals = signals_;
  }
  for (const std::weak_ptr<base::Signal>& weak : signals) {
    if (const std::shared_ptr<base::Signal> signal = weak.lock()) signal->Notify();
  }
  if (monitor == nullptr) return;
  MonitorLock lock(*monitor);
  monitor->NotifyAll();
}

bool Listener::Running() const {
  base::MutexLock lock(mutex_);
  return running_;
}

bool Listener::Busy() const {
  // Two callbacks that end each other would wait for ever.
  if (t_inside != nullptr && waits_for_others_.load(std::memory_order_acquire) > 0) return false;
  base::MutexLock lock(mutex_);
  return running_ || (drains() && scheduled_ && !removed_.load(std::memory_order_relaxed));
}

void Listener::LogLate(std::string_view what, LogLevel level) const {
  const HandlerStats stats = Stats();
  env_.log().Log(level, what,
                 {{"handler", stats.name},
                  {"informer", config_.informer},
                  {"behind_for", Seconds(stats.behind_for)},
                  {"callback_runs_for", Seconds(stats.callback_age)},
                  {"waiting", std::to_string(stats.waiting)}});
}

bool Listener::NameIfSlow() {
  const HandlerStats stats = Stats();
  if (stats.behind_for == Duration(0)) return false;
  const bool late = stats.callback_age >= kLate || (stats.behind_for >= kLate && stats.waiting > 0);
  if (late && !named_slow_) {
    named_slow_ = true;
    LogLate(
        "an event handler does not keep up; let it put keys into a WorkQueue and do the work "
        "elsewhere",
        LogLevel::kWarning);
  }
  return true;
}

void Listener::Suspend() {
  {
    base::MutexLock lock(mutex_);
    stopped_.store(true, std::memory_order_release);
  }
  Notify();
}

void Listener::Resume() {
  bool wakes = false;
  bool announces = false;
  {
    base::MutexLock lock(mutex_);
    stopped_.store(false, std::memory_order_release);
    announces = NeedsAnnouncement();
    // A scheduled turn continues by itself and owns the delivery.
    wakes = !scheduled_ && !(queue_.empty() && delivery_.empty()) && NeedsTurn();
  }
  if (announces) Announce();
  if (wakes) PostTurn();
}

void Listener::Discard() {
  ListenerQueue::Discarded discarded;
  Delivery undelivered;
  {
    base::MutexLock lock(mutex_);
    removed_.store(true, std::memory_order_release);
    UpdateFull();
    // A scheduled turn cleans up itself.
    if (!scheduled_) Clear(discarded, undelivered);
  }
  Destroy(std::move(discarded));
  Notify();
}

void Listener::End() {
  if (drains()) {
    base::MutexLock lock(mutex_);
    ended_ = true;
    // The turn or the reader calls Discard at the end.
    if (scheduled_ || (pulled_ != nullptr && !(queue_.empty() && delivery_.empty()))) return;
  }
  Discard();
}

Result<void> Listener::Remove() {
  Discard();
  if (t_inside == this || !Running()) return {};
  if (env_.OnLoopThread()) {
    return base::WouldDeadlock(
        env_, "handler " + options().name +
                  " is removed, but a callback of it still runs, and the loop thread cannot "
                  "wait for it; call RemoveEventHandler from another thread");
  }
  WaitIdle();
  return {};
}

// Marks the listener whose callback this thread runs, if any, as waiting for another.
class Listener::WaitsForOthers {
 public:
  WaitsForOthers() {
    if (of_ == nullptr) return;
    of_->waits_for_others_.fetch_add(1, std::memory_order_acq_rel);
    of_->Notify();
  }
  ~WaitsForOthers() {
    if (of_ != nullptr) of_->waits_for_others_.fetch_sub(1, std::memory_order_acq_rel);
  }
  WaitsForOthers(const WaitsForOthers&) = delete;
  WaitsForOthers& operator=(const WaitsForOthers&) = delete;

 private:
  Listener* const of_ = t_inside;
};

void Listener::WaitIdle() {
  if (t_inside == this || !Busy()) return;
  const WaitsForOthers waits;
  const std::shared_ptr<Monitor> monitor = MonitorForWaiting();
  const SteadyTime late = env_.Now() + kLate;
  {
    MonitorLock lock(*monitor);
    while (Busy() && env_.Now() < late) static_cast<void>(lock.WaitUntil(late));
  }
  if (!Busy()) return;
  LogLate("an event handler holds up the end of its informer, which waits for it",
          LogLevel::kWarning);
  MonitorLock lock(*monitor);
  while (Busy()) lock.Wait();
}

bool Listener::InformerIsStopped() const {
  const std::shared_ptr<ListenerOwner> informer = owner_.lock();
  return informer != nullptr && informer->IsStopped();
}

std::optional<Error> Listener::EndOfWait(const std::stop_token& stop) const {
  if (removed()) {
    return Error(Reason::kStopped, "handler " + options().name + " was removed before it synced");
  }
  // The callback that is running may be the last one before the sync; with AtStop::kDrain more of
  // them may follow.
  if (InformerIsStopped() && !Busy()) {
    return Error(Reason::kStopped,
                 "the informer was stopped before handler " + options().name + " synced");
  }
  if (stop.stop_requested()) {
    return Error(Reason::kCanceled, "stopped while handler " + options().name + " was not synced");
  }
  return std::nullopt;
}

std::optional<Error> Listener::WhyNotWait() const {
  if (HasSynced() || (!env_.OnLoopThread() && t_inside != this)) return std::nullopt;
  return base::WouldDeadlock(env_, "waiting for handler " + options().name + " to sync on " +
                                       (t_inside == this ? "its own callback" : "the loop thread") +
                                       " would wait for itself; wait elsewhere");
}

Result<void> Listener::WaitForSync(const std::stop_token& stop, std::optional<Duration> timeout) {
  if (HasSynced()) return {};
  if (std::optional<Error> deadlock = WhyNotWait()) return *std::move(deadlock);
  return BlockOn(env_, Synced(shared_from_this(), stop, timeout));
}

Task<Result<void>> Listener::Synced(std::shared_ptr<Listener> self, std::stop_token stop,
                                    std::optional<Duration> timeout) {
  std::optional<SteadyTime> deadline;
  if (timeout) deadline = base::After(self->env_.Now(), *timeout);
  const auto check = [&]() -> std::optional<Result<void>> {
    std::optional<Error> end = self->EndOfWait(stop);
    // Checked after EndOfWait: the callback that has just returned may have been the last.
    if (self->HasSynced()) return Result<void>();
    if (end) return *std::move(end);
    if (deadline && self->env_.Now() >= *deadline) {
      return Error(Reason::kDeadlineExceeded,
                   "handler " + self->options().name + " did not sync in time");
    }
    return std::nullopt;
  };
  co_return co_await base::AwaitUntil(self->env_, self->SignalForWaiting(), stop, deadline, check);
}

HandlerStats Listener::Stats() const {
  HandlerStats stats;
  stats.name = options().name;
  stats.synced = HasSynced();
  caller_.Report(stats);
  const SteadyTime now = env_.Now();
  stats.callback_age = caller_.CallbackAge(now);
  base::MutexLock lock(mutex_);
  // Reports at least 1 ns while events wait: the clock may not have advanced since.
  if (scheduled_) stats.behind_for = std::max(Duration(1), now - behind_since_);
  const PendingEvents::Load waiting = queue_.Waiting();
  stats.waiting = waiting.events;
  stats.waiting_bytes = waiting.bytes;
  stats.coalesced = queue_.coalesced();
  stats.dropped = queue_.dropped();
  return stats;
}

}  // namespace kinformer::internal::cache
