#include "controller/causes/reconcile_history.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <thread>

#include "controller/causes/cause_more.h"

namespace kinformer::internal {

// A lock that costs its owner two writes. Others have it for microseconds, while somebody asks.
class PartLock {
 public:
  void lock() {
    while (taken_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

// Notes of one worker.
struct ReconcileHistory::Part {
  // Set by the worker without the lock; unset with it, so that who has it may read what runs.
  std::atomic<const Running*> running{nullptr};
  PartLock lock;
  // Guarded by the lock.
  std::array<QuietReconcile, kMostQuiet> quiet;  // without a key: none yet
  std::size_t next = 0;                          // where the next one goes: the oldest
};

namespace {

thread_local ReconcileHistory::Part* t_part = nullptr;

std::string NameOf(const Block& object) {
  return ObjectName{std::string(object.namespace_()), std::string(object.name())}.ToString();
}

PastReconcile Copied(const PastReconcile& past) {
  PastReconcile copy;
  copy.id = past.id;
  copy.begun = past.begun;
  copy.took = past.took;
  copy.result = past.result;
  copy.after = past.after;
  copy.error = past.error;
  copy.attempts = past.attempts;
  copy.last_error = past.last_error;
  copy.causes = past.causes.Copy();
  copy.writes = past.writes;
  copy.writes_left_out = past.writes_left_out;
  return copy;
}

// Whether one of the causes is an event of that object. `key`: the request's.
bool IsWokenBy(const CauseNote& causes, std::string_view key, std::string_view object,
               const std::function<bool(const KindInfo&)>& is_kind) {
  for (std::size_t i = 0; i < causes.size(); ++i) {
    const RawCause& cause = causes[i];
    if (cause.kind == nullptr || !is_kind(*cause.kind)) continue;
    const bool is_it = cause.own
                           ? key == object
                           : cause.more && cause.more->now && NameOf(*cause.more->now) == object;
    if (is_it) return true;
  }
  return false;
}

// Collects what is asked for.
class Findings {
 public:
  Findings(const std::string& key, bool own, const std::function<bool(const KindInfo&)>& is_kind)
      : asked_(key), own_(own), is_kind_(is_kind) {}

  [[nodiscard]] bool Wants(const std::string& key, const CauseNote& causes) const {
    return (own_ && key == asked_) || IsWokenBy(causes, key, asked_, is_kind_);
  }
  void Add(const std::string& key, PastReconcile past) {
    auto found = std::ranges::find(all_, key, &PastOfKey::key);
    if (found == all_.end()) found = all_.insert(all_.end(), PastOfKey{key, {}});
    found->reconciles.push_back(std::move(past));
  }
  [[nodiscard]] std::vector<PastOfKey> Take() {
    for (PastOfKey& request : all_) {
      std::ranges::stable_sort(request.reconciles, {}, &PastReconcile::begun);
    }
    return std::move(all_);
  }

 private:
  const std::string& asked_;
  const bool own_;
  const std::function<bool(const KindInfo&)>& is_kind_;
  std::vector<PastOfKey> all_;
};

}  // namespace

ReconcileHistory::Worker::Worker(ReconcileHistory& history) {
  auto part = std::make_unique<Part>();
  t_part = part.get();
  const base::MutexLock lock(history.mutex_);
  history.parts_.push_back(std::move(part));
}
ReconcileHistory::Worker::~Worker() { t_part = nullptr; }

ReconcileHistory::ReconcileHistory(std::string controller) : controller_(std::move(controller)) {}
ReconcileHistory::~ReconcileHistory() = default;

void ReconcileHistory::Began(const Running& running) {
  t_part->running.store(&running, std::memory_order_release);
}

void ReconcileHistory::EndedQuietly(std::string& key, std::string_view id, CauseNote& causes,
                                    SteadyTime begun, Duration took) {
  if (causes.has_more()) HoldOnly(causes);
  Part& part = *t_part;
  const std::lock_guard lock(part.lock);
  part.running.store(nullptr, std::memory_order_relaxed);
  QuietReconcile& oldest = part.quiet[part.next];
  part.next = (part.next + 1) % kMostQuiet;
  oldest.key.swap(key);
  oldest.id.Set(id);
  oldest.begun = begun;
  oldest.took = took;
  if (oldest.causes.has_more()) {
    CauseNote replaced = std::move(oldest.causes);
    oldest.causes = std::move(causes);
    causes = std::move(replaced);
  } else {
    oldest.causes = std::move(causes);
  }
}

void ReconcileHistory::HoldOnly(const CauseNote& causes) {
  std::vector<ObjectRef> gone;  // destroyed without the lock
  const base::MutexLock lock(mutex_);
  Hold(causes, gone);
}

void ReconcileHistory::Ended(const std::string& key, std::string& id, CauseNote& causes,
                             PastReconcile past) {
  // Both are destroyed without the lock.
  std::vector<ObjectRef> gone;
  PastReconcile replaced;
  const base::MutexLock lock(mutex_);
  {
    const std::lock_guard part_lock(t_part->lock);
    t_part->running.store(nullptr, std::memory_order_relaxed);
  }
  past.id = std::move(id);
  past.causes = std::move(causes);
  Hold(past.causes, gone);
  OfKey& of_key = Touched(key);
  if (of_key.past.size() < kMostEach) {
    of_key.past.push_back(std::move(past));
  } else {
    replaced = std::exchange(of_key.past[of_key.next], std::move(past));
    of_key.next = (of_key.next + 1) % kMostEach;
  }
}

ReconcileHistory::OfKey& ReconcileHistory::Touched(const std::string& key) {
  const auto known = by_key_.find(key);
  if (known != by_key_.end()) {
    keys_.splice(keys_.begin(), keys_, known->second);
    return keys_.front();
  }
  if (keys_.size() < kMostKeys) {
    keys_.emplace_front().key = key;
    by_key_.emplace(keys_.front().key, keys_.begin());
    return keys_.front();
  }
  auto node = by_key_.extract(std::string_view(keys_.back().key));
  keys_.splice(keys_.begin(), keys_, std::prev(keys_.end()));
  OfKey& front = keys_.front();
  front.key = key;
  front.past.clear();
  front.next = 0;
  node.key() = front.key;
  node.mapped() = keys_.begin();
  by_key_.insert(std::move(node));
  return front;
}

void ReconcileHistory::Hold(const CauseNote& causes, std::vector<ObjectRef>& gone) {
  for (std::size_t i = 0; i < causes.size(); ++i) {
    const CauseMoreRef& more = causes[i].more;
    if (!more) continue;
    more->LeaveBudget();
    held_bytes_ += more->bytes;
    held_.push_back(more);
  }
  while (held_bytes_ > kMostHeld) {
    const CauseMoreRef oldest = std::move(held_.front());
    held_.pop_front();
    held_bytes_ -= oldest->bytes;
    gone.push_back(std::exchange(oldest->before, ObjectRef()));
    gone.push_back(std::exchange(oldest->now, ObjectRef()));
  }
}

std::vector<PastOfKey> ReconcileHistory::About(
    const std::string& key, bool own, const std::function<bool(const KindInfo&)>& is_kind) const {
  Findings findings(key, own, is_kind);
  const base::MutexLock lock(mutex_);
  for (const OfKey& of_key : keys_) {
    for (std::size_t i = 0; i < of_key.past.size(); ++i) {
      const PastReconcile& past = of_key.past[(of_key.next + i) % of_key.past.size()];
      if (findings.Wants(of_key.key, past.causes)) findings.Add(of_key.key, Copied(past));
    }
  }
  for (const std::unique_ptr<Part>& part : parts_) {
    const std::lock_guard part_lock(part->lock);
    for (std::size_t i = 0; i < kMostQuiet; ++i) {
      const QuietReconcile& quiet = part->quiet[(part->next + i) % kMostQuiet];
      if (quiet.key.empty() || !findings.Wants(quiet.key, quiet.causes)) continue;
      PastReconcile past;
      past.id = quiet.id.view();
      past.begun = quiet.begun;
      past.took = quiet.took;
      past.result = "success";
      past.causes = quiet.causes.Copy();
      findings.Add(quiet.key, std::move(past));
    }
    const Running* const running = part->running.load(std::memory_order_acquire);
    if (running == nullptr || !findings.Wants(*running->key, *running->causes)) continue;
    PastReconcile past;
    past.id = *running->id;
    past.begun = running->begun;
    past.result = "running";
    past.causes = running->causes->Copy();
    findings.Add(*running->key, std::move(past));
  }
  return findings.Take();
}

WaitingAnswer ReconcileHistory::Waiting(const std::string& key, bool own,
                                        const std::function<bool(const KindInfo&)>& is_kind) const {
  // A request with the object's own name is found by that.
  const std::function<bool(const CauseNote&)> is_woken_by = [&](const CauseNote& causes) {
    return IsWokenBy(causes, {}, key, is_kind);
  };
  const base::MutexLock lock(queue_mutex_);
  if (!queue_) return {};
  return queue_({.key = key, .own = own, .is_woken_by = is_woken_by});
}

void ReconcileHistory::SetQueue(std::function<WaitingAnswer(const WaitingQuestion&)> queue) {
  const base::MutexLock lock(queue_mutex_);
  queue_ = std::move(queue);
}

void ReconcileHistory::Report(ControllerFigures& figures, SteadyTime now) const {
  const base::MutexLock lock(mutex_);
  for (const std::unique_ptr<Part>& part : parts_) {
    const std::lock_guard part_lock(part->lock);
    const Running* const running = part->running.load(std::memory_order_acquire);
    if (running != nullptr) figures.running.push_back({*running->key, now - running->begun});
  }
  // The front is the request that was reconciled last.
  for (const OfKey& of_key : keys_) {
    if (figures.failures.size() == kMostFailures) break;
    const PastReconcile* newest = nullptr;
    for (const PastReconcile& past : of_key.past) {
      if (past.error.empty()) continue;
      if (newest == nullptr || newest->begun < past.begun) newest = &past;
    }
    if (newest == nullptr) continue;
    figures.failures.push_back({.request = of_key.key,
                                .ago = now - (newest->begun + newest->took),
                                .attempts = newest->attempts,
                                .error = newest->error});
  }
}

}  // namespace kinformer::internal
