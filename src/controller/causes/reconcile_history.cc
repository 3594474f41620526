#include "controller/causes/reconcile_history.h"

#include <algorithm>
#include <iterator>

#include "controller/causes/cause_more.h"

namespace kinformer::internal {
namespace {

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

std::string NameOf(const Block& object) {
  return ObjectName{std::string(object.namespace_()), std::string(object.name())}.ToString();
}

// Whether one of the causes is an event of that object. `key`: the request's.
bool IsWokenBy(const CauseNote& causes, std::string_view key, std::string_view object,
               const std::function<bool(const KindInfo&)>& is_kind) {
  for (std::size_t i = 0; i < causes.size(); ++i) {
    const RawCause& cause = causes[i];
    if (cause.kind == nullptr || !is_kind(*cause.kind)) continue;
    if (cause.own ? key == object
                  : cause.more && cause.more->now && NameOf(*cause.more->now) == object) {
      return true;
    }
  }
  return false;
}

}  // namespace

void ReconcileHistory::Began(const std::string& key, const std::string& id, const CauseNote& causes,
                             SteadyTime begun) {
  const base::MutexLock lock(mutex_);
  running_.push_back({&key, &id, &causes, begun});
}

void ReconcileHistory::Ended(const std::string& key, PastReconcile past, CauseNote& causes) {
  // Both are destroyed without the lock.
  std::vector<ObjectRef> gone;
  PastReconcile replaced;
  const base::MutexLock lock(mutex_);
  const auto running = std::ranges::find(running_, &causes, &Running::causes);
  if (running != running_.end()) {
    *running = running_.back();
    running_.pop_back();
  }
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
    gone.push_back(std::move(oldest->before));
    gone.push_back(std::move(oldest->now));
    oldest->before = ObjectRef();
    oldest->now = ObjectRef();
  }
}

std::vector<PastOfKey> ReconcileHistory::About(
    const std::string& key, bool own, const std::function<bool(const KindInfo&)>& is_kind) const {
  std::vector<PastOfKey> about;
  const base::MutexLock lock(mutex_);
  for (const OfKey& of_key : keys_) {
    const bool asked = own && of_key.key == key;
    PastOfKey found{of_key.key, {}};
    for (std::size_t i = 0; i < of_key.past.size(); ++i) {
      const PastReconcile& past = of_key.past[(of_key.next + i) % of_key.past.size()];
      if (asked || IsWokenBy(past.causes, of_key.key, key, is_kind)) {
        found.reconciles.push_back(Copied(past));
      }
    }
    if (!found.reconciles.empty()) about.push_back(std::move(found));
  }
  for (const Running& running : running_) {
    const bool asked = own && *running.key == key;
    if (!asked && !IsWokenBy(*running.causes, *running.key, key, is_kind)) continue;
    auto found = std::ranges::find(about, *running.key, &PastOfKey::key);
    if (found == about.end()) found = about.insert(about.end(), PastOfKey{*running.key, {}});
    PastReconcile& past = found->reconciles.emplace_back();
    past.id = *running.id;
    past.begun = running.begun;
    past.result = "running";
    past.causes = running.causes->Copy();
  }
  return about;
}

}  // namespace kinformer::internal
