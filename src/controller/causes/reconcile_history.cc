#include "controller/causes/reconcile_history.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "controller/causes/cause_more.h"

namespace kinformer::internal {

// Notes of one worker.
struct ReconcileHistory::Part {
  struct Running {
    const std::string* key = nullptr;
    const std::string* id = nullptr;
    const CauseNote* causes = nullptr;
    SteadyTime begun{};
  };
  QuietNotes notes;
  // The reconcile that runs is in the notes, or here. Written by the worker, which unsets
  // `is_here` with the history's mutex: who has that may read what runs.
  bool is_noted = false;
  Running here;
  std::atomic<bool> is_here{false};
  // Guarded by the history's mutex: quiet reconciles whose causes have objects.
  struct Quiet {
    std::string key{};
    PastReconcile past{};
  };
  std::vector<Quiet> quiet;
  std::size_t next = 0;  // where the next one goes, if there are kMostQuiet
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

PastReconcile PastOf(const QuietNote& note) {
  PastReconcile past;
  past.id = note.id;
  past.begun = note.begun;
  past.took = note.took;
  past.result = note.running ? "running" : "success";
  past.causes = CauseNote(note.cause);
  return past;
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

void ReconcileHistory::Began(const std::string& key, const std::string& id, const CauseNote& causes,
                             SteadyTime begun) {
  Part& part = *t_part;
  part.is_noted = !causes.has_more() && part.notes.Began(key, id, begun, causes.first());
  if (part.is_noted) return;
  part.here = {&key, &id, &causes, begun};
  part.is_here.store(true, std::memory_order_release);
}

void ReconcileHistory::EndedQuietly(const std::string& key, const std::string& id,
                                    CauseNote& causes, SteadyTime begun, Duration took) {
  Part& part = *t_part;
  if (!part.is_noted) return KeepQuiet(key, id, causes, begun, took);
  part.notes.Ended(took);
}

void ReconcileHistory::KeepQuiet(const std::string& key, const std::string& id, CauseNote& causes,
                                 SteadyTime begun, Duration took) {
  // Both are destroyed without the lock.
  std::vector<ObjectRef> gone;
  CauseNote replaced;
  Part& part = *t_part;
  const base::MutexLock lock(mutex_);
  part.is_here.store(false, std::memory_order_relaxed);
  Hold(causes, gone);
  const std::size_t place = part.quiet.size() < kMostQuiet ? part.quiet.size() : part.next;
  if (place == part.quiet.size()) {
    part.quiet.emplace_back().past.result = "success";
  } else {
    part.next = (place + 1) % kMostQuiet;
  }
  // Texts go where those of the oldest one were.
  auto& [of_key, past] = part.quiet[place];
  of_key = key;
  past.id = id;
  past.begun = begun;
  past.took = took;
  replaced = std::exchange(past.causes, std::move(causes));
}

void ReconcileHistory::Ended(const std::string& key, CauseNote& causes, PastReconcile past) {
  // Both are destroyed without the lock.
  std::vector<ObjectRef> gone;
  PastReconcile replaced;
  const base::MutexLock lock(mutex_);
  EndHere();
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

void ReconcileHistory::Dropped() {
  const base::MutexLock lock(mutex_);
  EndHere();
}

void ReconcileHistory::EndHere() {
  if (t_part->is_noted) t_part->notes.Dropped();
  t_part->is_here.store(false, std::memory_order_relaxed);
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
    for (std::size_t i = 0; i < part->quiet.size(); ++i) {
      const Part::Quiet& quiet = part->quiet[(part->next + i) % part->quiet.size()];
      if (findings.Wants(quiet.key, quiet.past.causes)) {
        findings.Add(quiet.key, Copied(quiet.past));
      }
    }
    for (const QuietNote& note : part->notes.All()) {
      PastReconcile past = PastOf(note);
      if (findings.Wants(note.key, past.causes)) findings.Add(note.key, std::move(past));
    }
    if (!part->is_here.load(std::memory_order_acquire)) continue;
    const Part::Running& running = part->here;
    if (!findings.Wants(*running.key, *running.causes)) continue;
    PastReconcile past;
    past.id = *running.id;
    past.begun = running.begun;
    past.result = "running";
    past.causes = running.causes->Copy();
    findings.Add(*running.key, std::move(past));
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
    if (const auto note = part->notes.Running()) {
      figures.running.push_back({note->key, now - note->begun});
    }
    if (part->is_here.load(std::memory_order_acquire)) {
      figures.running.push_back({*part->here.key, now - part->here.begun});
    }
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
