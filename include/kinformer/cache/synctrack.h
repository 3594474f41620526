// kinformer/cache/synctrack.h
//
// synctrack: helps handlers that hand on what they get. When such a handler has seen the first
// list, its work on that list may be under way still; a tracker knows.
//
//   synctrack::AsyncTracker<std::string> tracker([&] { return registration.HasSynced(); });
//   // In the handler:            tracker.Start(key);  queue.Add(key);
//   // Where the work has ended:  tracker.Finished(key);
//   bool done = tracker.HasSynced();
//
// Lazy<T> is a value that is computed from others, again only after they have changed. Counterpart:
// the package tools/cache/synctrack.

#ifndef KINFORMER_CACHE_SYNCTRACK_H_
#define KINFORMER_CACHE_SYNCTRACK_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/result.h"

namespace kinformer::synctrack {

// Tracks items that are processed in any order. Has synced once its upstream has and no item is
// between Start and Finished; never goes back. Call Start before the handler of the item returns:
// its upstream may have synced when it has.
//
// Thread-safe; never blocks. Counterpart: synctrack.AsyncTracker.
template <class Key, class Hash = std::hash<Key>>
class AsyncTracker {
 public:
  // `upstream_has_synced` is that of the handler's registration. Called by HasSynced. Empty: the
  // upstream has synced when UpstreamHasSynced was called.
  explicit AsyncTracker(std::function<bool()> upstream_has_synced = {}, std::string name = {})
      : upstream_(std::move(upstream_has_synced)), name_(std::move(name)) {}

  // Notes that an item has arrived.
  void Start(const Key& key) {
    if (synced_) return;
    const std::lock_guard lock(mutex_);
    waiting_.insert(key);
  }
  // Notes that the work for an item has ended. Does nothing for an unknown one.
  void Finished(const Key& key) {
    if (synced_) return;
    const std::lock_guard lock(mutex_);
    waiting_.erase(key);
  }
  // Notes that the upstream has synced, for one that tells it and is not asked.
  void UpstreamHasSynced() { upstream_told_ = true; }
  [[nodiscard]] bool HasSynced() const {
    if (synced_) return true;
    if (!upstream_told_ && !(upstream_ && upstream_())) return false;
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) synced_ = true;
    return synced_;
  }
  [[nodiscard]] const std::string& Name() const { return name_; }

 private:
  const std::function<bool()> upstream_;
  const std::string name_;
  std::atomic<bool> upstream_told_{false};
  mutable std::atomic<bool> synced_{false};
  mutable std::mutex mutex_;
  std::unordered_set<Key, Hash> waiting_;
};

// The same for items that are processed in order, which need no keys: it counts. Thread-safe; never
// blocks. Counterpart: synctrack.SingleFileTracker.
class SingleFileTracker {
 public:
  explicit SingleFileTracker(std::function<bool()> upstream_has_synced = {}, std::string name = {})
      : upstream_(std::move(upstream_has_synced)), name_(std::move(name)) {}

  void Start() { ++count_; }
  // Returns false if this was called more often than Start, which is a mistake of the caller: what
  // HasSynced says may have been wrong. client-go panics.
  bool Finished() { return --count_ >= 0; }
  void UpstreamHasSynced() { upstream_told_ = true; }
  [[nodiscard]] bool HasSynced() const {
    if (synced_) return true;
    if (!upstream_told_ && !(upstream_ && upstream_())) return false;
    if (count_ <= 0) synced_ = true;
    return synced_;
  }
  [[nodiscard]] const std::string& Name() const { return name_; }

 private:
  const std::function<bool()> upstream_;
  const std::string name_;
  std::atomic<bool> upstream_told_{false};
  mutable std::atomic<bool> synced_{false};
  std::atomic<std::int64_t> count_{0};
};

// A value that is computed when it is first read after a change. A reader gets a value that was
// computed after every Notify that happened before it began to read. Several readers at once share
// one evaluation. Errors are not kept: the next reader evaluates again.
//
// Thread-safe. Get blocks while `evaluate` runs, which is called on the thread of a reader; its
// exceptions pass through. `env` must outlive it. T is copied for each reader: a Ref or a
// std::shared_ptr<const Large> is a good one. Counterpart: synctrack.Lazy.
template <class T>
class Lazy {
 public:
  // `evaluate` must not call Get of the same Lazy.
  Lazy(Env& env, std::function<Result<T>()> evaluate)
      : env_(env), evaluate_(std::move(evaluate)), entry_(NewEntry()) {}

  // Notes a change of what the value is computed from.
  void Notify() {
    std::shared_ptr<Entry> fresh = NewEntry();
    const std::lock_guard lock(mutex_);
    entry_.swap(fresh);
  }
  // Returns the value, or the error of evaluating it. kWouldDeadlock: another thread evaluates it,
  // and this is a loop, which must not wait.
  [[nodiscard]] Result<T> Get() {
    const std::shared_ptr<Entry> entry = Current();
    {
      MonitorLock lock(*entry->monitor);
      while (entry->evaluating) {
        if (env_.OnLoopThread()) {
          return Error(Reason::kWouldDeadlock,
                       "Lazy::Get on an event loop, while another thread evaluates");
        }
        lock.Wait();
      }
      if (entry->value) return *entry->value;
      entry->evaluating = true;
    }
    Evaluation evaluation{*entry};
    Result<T> result = evaluate_();
    if (result) evaluation.value = *result;
    return result;
  }

 private:
  // The value between two changes.
  struct Entry {
    std::unique_ptr<Monitor> monitor;
    bool evaluating = false;  // guarded by monitor, as is the value
    std::optional<T> value{};
  };
  // Ends an evaluation, also where it throws.
  struct Evaluation {
    ~Evaluation() {
      const MonitorLock lock(*entry.monitor);
      entry.evaluating = false;
      entry.value = std::move(value);
      entry.monitor->NotifyAll();
    }
    Entry& entry;
    std::optional<T> value{};
  };

  [[nodiscard]] std::shared_ptr<Entry> NewEntry() const {
    auto entry = std::make_shared<Entry>();
    entry->monitor = env_.NewMonitor();
    return entry;
  }
  [[nodiscard]] std::shared_ptr<Entry> Current() const {
    const std::lock_guard lock(mutex_);
    return entry_;
  }

  Env& env_;
  const std::function<Result<T>()> evaluate_;
  mutable std::mutex mutex_;
  std::shared_ptr<Entry> entry_;
};

}  // namespace kinformer::synctrack

#endif  // KINFORMER_CACHE_SYNCTRACK_H_
