#include "cache/listener.h"

#include <array>
#include <exception>
#include <utility>

#include "kinformer/internal/view.h"

namespace kinformer::internal {
namespace {

constexpr Duration kTurn = std::chrono::milliseconds(5);  // then other listeners have theirs
constexpr std::uint64_t kTurnCallbacks = 512;
constexpr Duration kSlowCallback = std::chrono::milliseconds(100);
constexpr Duration kMalformedLogPeriod = std::chrono::seconds(10);

// The listeners whose callbacks are on this thread's stack: a callback may drive others to theirs only in simulation.
thread_local const Listener* t_inside = nullptr;

}  // namespace

Listener::Listener(Env& env, std::shared_ptr<RawHandler> handler, HandlerOptions options,
                   Hooks hooks, std::weak_ptr<InformerCore::Impl> owner)
    : env_(env),
      handler_(std::move(handler)),
      options_(std::move(options)),
      hooks_(std::move(hooks)),
      owner_(std::move(owner)) {}

Listener::~Listener() = default;

// ---- delivery

bool Listener::NeedsTurn() {
  if (scheduled_ || Halted()) return false;
  scheduled_ = true;
  return true;
}

void Listener::PostTurn() {
  env_.pool().Post([self = shared_from_this()] { self->RunSome(); });
}

void Listener::Schedule() {
  if (NeedsTurn()) PostTurn();
}

bool Listener::Halted() const {
  return removed_.load(std::memory_order_acquire) || pausing_.load(std::memory_order_acquire);
}

void Listener::RunSome() {
  const Listener* const outer = std::exchange(t_inside, this);
  const SteadyTime turn_end = env_.Now() + kTurn;
  const std::uint64_t turn_last = delivered_.load(std::memory_order_relaxed) + kTurnCallbacks;
  for (bool more = true; more;) {
    bool synced = false;
    bool drained = false;
    {
      MutexLock lock(mutex_);
      running_ = true;
      const bool was_full = full_.load(std::memory_order_relaxed);
      const bool carried_over = replay_ != nullptr || next_taken_ < taken_.size();
      more = !Halted() && (carried_over || Take(synced));
      UpdateFull();
      Report();
      drained = was_full && !full_.load(std::memory_order_relaxed);
      if (!more) {
        scheduled_ = false;
        running_ = false;
        if (removed_.load(std::memory_order_relaxed)) Clear();
      } else if (!synced && (env_.Now() >= turn_end ||
                             delivered_.load(std::memory_order_relaxed) >= turn_last)) {
        // The others have their turn; what was taken is carried over.
        more = false;
        running_ = false;
        PostTurn();
      }
    }
    if (drained && hooks_.drained) hooks_.drained();
    if (!more) break;
    if (synced) {
      synced_.store(true, std::memory_order_release);
      Notify();
      if (hooks_.changed) hooks_.changed();
    }
    DeliverTaken();
    if (replay_ != nullptr) DeliverReplay();
  }
  t_inside = outer;
  Notify();
  if (hooks_.changed && pausing_.load(std::memory_order_acquire)) hooks_.changed();
}

void Listener::DeliverTaken() {
  while (next_taken_ < taken_.size() && !Halted()) {
    const Notification& event = taken_[next_taken_++];
    RawEvent raw;
    raw.kind = event.kind;
    raw.is_in_initial_list = event.is_in_initial_list;
    raw.final_state_unknown = event.final_state_unknown;
    raw.old_block = event.old_object.get();
    raw.block = event.object.get();
    Deliver(raw);
  }
  if (next_taken_ == taken_.size()) {
    taken_.clear();
    next_taken_ = 0;
  }
}

void Listener::DeliverReplay() {
  Replay& replay = *replay_;
  const bool deletions = !replay.deletions_done && replay.before != nullptr;
  const SnapshotCore& walked = deletions ? *replay.before : *replay.after;
  const SnapshotCore* const other = deletions ? replay.after.get() : replay.before.get();
  if (replay.next == replay.size) {
    replay.next = 0;
    replay.size = walked.NextBatch(replay.cursor, replay.batch);
    replay.at_end = replay.size < replay.batch.size();
  }
  while (replay.next < replay.size) {
    if (Halted()) return;
    const Block* const block = replay.batch[replay.next++];
    const Block* const counterpart =
        other == nullptr ? nullptr : other->Get(block->namespace_(), block->name());
    const bool same_object =
        counterpart != nullptr &&
        (counterpart == block || replay.uid_change_is_update || counterpart->uid() == block->uid());
    RawEvent event;
    event.block = block;
    if (deletions) {
      if (same_object) continue;
      event.kind = RawEvent::Kind::kDelete;
      event.final_state_unknown = true;
    } else if (same_object) {
      if (counterpart == block && !replay.include_unchanged) continue;
      event.kind = RawEvent::Kind::kUpdate;
      event.old_block = counterpart;
    } else if (other == nullptr && !replay.initial) {
      event.kind = RawEvent::Kind::kUpdate;
      event.old_block = block;
    } else {
      event.kind = RawEvent::Kind::kAdd;
      event.is_in_initial_list = replay.initial;
    }
    Deliver(event);
  }
  if (!replay.at_end) return;
  if (deletions) {
    replay.deletions_done = true;
    replay.cursor = {};
    replay.at_end = false;
    return;
  }
  replay_.reset();
}

void Listener::Deliver(const RawEvent& event) {
  const Block& named_by = *event.block;
  key_.clear();
  const std::string_view ns = named_by.namespace_();
  if (!ns.empty()) {
    key_.append(ns);
    key_.push_back('/');
  }
  key_.append(named_by.name());
  RawEvent named = event;
  named.key = &key_;
  // Handlers see whole objects. What they keep a count on is theirs.
  ObjectRef whole;
  ObjectRef whole_old;
  if (event.block->packed()) {
    whole = Unpacked(ObjectRef::Share(event.block));
    named.block = whole.get();
  }
  if (event.old_block == event.block) {
    named.old_block = named.block;
  } else if (event.old_block != nullptr && event.old_block->packed()) {
    whole_old = Unpacked(ObjectRef::Share(event.old_block));
    named.old_block = whole_old.get();
  }
  if (hooks_.trace) {
    TraceEvent trace;
    trace.stage = "listener";
    trace.type = event.kind == RawEvent::Kind::kAdd      ? "ADDED"
                 : event.kind == RawEvent::Kind::kUpdate ? "MODIFIED"
                                                         : "DELETED";
    trace.key = key_;
    trace.resourceVersion = named_by.resourceVersion();
    {
      MutexLock lock(mutex_);
      trace.depth = live_;
    }
    trace.listener = options_.name;
    trace.in_list = event.is_in_initial_list;
    hooks_.trace(trace);
  }
  const SteadyTime start = env_.Now();
  const std::uint64_t malformed_before = MalformedReadsHere();
  std::string what;
  bool threw = false;
  try {
    handler_->Handle(named);
  } catch (const std::exception& e) {
    threw = true;
    what = e.what();
  } catch (...) {
    threw = true;
    what = "not a std::exception";
  }
  delivered_.fetch_add(1, std::memory_order_relaxed);
  if (threw) {
    exceptions_.fetch_add(1, std::memory_order_relaxed);
    env_.log().Log(LogLevel::kError, "an event handler threw; the event counts as handled",
                   {{"handler", options_.name}, {"key", key_}, {"what", what}});
  }
  if (MalformedReadsHere() != malformed_before) LogMalformed(named_by, start);
  const Duration took = env_.Now() - start;
  if (took.count() > longest_ns_.load(std::memory_order_relaxed)) {
    longest_ns_.store(took.count(), std::memory_order_relaxed);
  }
  if (took > kSlowCallback) {
    env_.log().Log(LogLevel::kInfo, "slow event handler",
                   {{"handler", options_.name},
                    {"key", key_},
                    {"ms", std::to_string(took.count() / 1'000'000)}});
  }
}

// A server that garbles all it sends must not fill the log as well.
void Listener::LogMalformed(const Block& object, SteadyTime now) {
  ++malformed_events_;
  if (malformed_events_ > 1 && now - malformed_logged_ < kMalformedLogPeriod) return;
  malformed_logged_ = now;
  env_.log().Log(LogLevel::kWarning,
                 "a handler read malformed fields, which count as absent; Validation::kFull "
                 "quarantines such objects",
                 {{"handler", options_.name},
                  {"kind", std::string(object.type().kind)},
                  {"key", key_},
                  {"resourceVersion", std::string(object.resourceVersion())},
                  {"events_so_far", std::to_string(malformed_events_)}});
}

// ---- waiting and ending

std::shared_ptr<Monitor> Listener::MonitorForWaiting() {
  MutexLock lock(mutex_);
  if (monitor_ == nullptr) monitor_ = env_.NewMonitor();
  return monitor_;
}

void Listener::Notify() {
  std::shared_ptr<Monitor> monitor;
  {
    MutexLock lock(mutex_);
    monitor = monitor_;
  }
  if (monitor == nullptr) return;
  MonitorLock lock(*monitor);
  monitor->NotifyAll();
}

bool Listener::Running() const {
  MutexLock lock(mutex_);
  return running_;
}

void Listener::Suspend() {
  MutexLock lock(mutex_);
  pausing_.store(true, std::memory_order_release);
}

void Listener::Resume() {
  MutexLock lock(mutex_);
  pausing_.store(false, std::memory_order_release);
  if (!entries_.empty() || replay_ != nullptr || next_taken_ < taken_.size()) Schedule();
}

void Listener::Discard() {
  {
    MutexLock lock(mutex_);
    removed_.store(true, std::memory_order_release);
    full_.store(false, std::memory_order_release);
    // Else the thread that delivers cleans up after itself.
    if (!scheduled_) Clear();
  }
  Notify();
}

Result<void> Listener::Remove() {
  Discard();
  if (t_inside == this || !Running()) return {};
  if (env_.loop().InThisExecutor()) {
    return Error(Reason::kWouldDeadlock,
                 "handler " + options_.name +
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
  if (env_.loop().InThisExecutor() || t_inside == this) {
    return Error(Reason::kWouldDeadlock,
                 "waiting for handler " + options_.name + " to sync on " +
                     (t_inside == this ? "its own callback" : "the loop thread") +
                     " would wait for itself; wait elsewhere");
  }
  const std::shared_ptr<Monitor> monitor = MonitorForWaiting();
  const std::stop_callback on_stop(stop, [monitor] {
    MonitorLock lock(*monitor);
    monitor->NotifyAll();
  });
  const SteadyTime deadline = env_.Now() + timeout.value_or(Duration(0));
  MonitorLock lock(*monitor);
  for (;;) {
    if (HasSynced()) return {};
    if (removed()) {
      return Error(Reason::kStopped, "handler " + options_.name + " was removed before it synced");
    }
    if (stop.stop_requested()) {
      return Error(Reason::kCanceled, "stopped while handler " + options_.name + " was not synced");
    }
    if (!timeout) {
      lock.Wait();
    } else if (!lock.WaitUntil(deadline) && env_.Now() >= deadline && !HasSynced()) {
      return Error(Reason::kDeadlineExceeded, "handler " + options_.name + " did not sync in time");
    }
  }
}

HandlerStats Listener::Stats() const {
  HandlerStats stats;
  stats.name = options_.name;
  stats.delivered = delivered_.load(std::memory_order_relaxed);
  stats.coalesced = coalesced_.load(std::memory_order_relaxed);
  stats.dropped = dropped_.load(std::memory_order_relaxed);
  stats.exceptions = exceptions_.load(std::memory_order_relaxed);
  stats.longest_callback = Duration(longest_ns_.load(std::memory_order_relaxed));
  stats.synced = HasSynced();
  MutexLock lock(mutex_);
  stats.waiting = live_;
  stats.waiting_bytes = live_bytes_;
  return stats;
}

}  // namespace kinformer::internal
