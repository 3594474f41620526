// kinformer/cache/fifo.h
//
// FIFO<T>: a queue of items by key. A consumer that is slower than the changes gets an item once,
// in its last state.
//
//   FIFO<Page> pages(env, [](const Page& page) { return page.name; });
//   pages.Add({"a", 1}).OrExit();
//   pages.Add({"a", 2}).OrExit();
//   Result<void> printed = pages.Pop([](const Page& page, bool) { return Print(page); });
//
// DeltaFIFO (delta_fifo.h) also says what happened to an object, and that it was deleted.

#ifndef KINFORMER_CACHE_FIFO_H_
#define KINFORMER_CACHE_FIFO_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/key_func.h"
#include "kinformer/internal/flow.h"

namespace kinformer {

// A queue in which each key waits once. An item that is written again keeps its place. A deleted
// item is not returned; one that was taken and is written again waits at the end.
//
// Thread-safe. Only Pop blocks, and the destructor, which closes the queue and waits until every
// Pop has returned. Process functions never run at the same time. Ownership: has copies of the
// items. `env` must outlive it. Counterpart: cache.FIFO.
template <class T>
class FIFO {
 public:
  // Counterpart: cache.NewFIFO.
  FIFO(Env& env, KeyFunc<T> key_func)
      : env_(env), monitor_(env.NewMonitor()), key_func_(std::move(key_func)) {}
  ~FIFO() {
    MonitorLock lock(*monitor_);
    closed_ = true;
    monitor_->NotifyAll();
    while (inside_ > 0) lock.Wait();
  }
  FIFO(const FIFO&) = delete;
  FIFO& operator=(const FIFO&) = delete;

  // Add the item, or replace the one of the same key that waits; both do the same.
  Result<void> Add(T item) {
    Result<std::string> key = internal::KeyOfItem(key_func_, item);
    if (!key) return std::move(key).error();
    const MonitorLock lock(*monitor_);
    populated_ = true;
    const auto [at, is_new] = items_.insert_or_assign(*key, std::move(item));
    if (is_new) line_.push_back(*std::move(key));
    monitor_->NotifyAll();
    return {};
  }
  Result<void> Update(T item) { return Add(std::move(item)); }
  // Adds the item unless one of the same key waits.
  Result<void> AddIfNotPresent(T item) {
    Result<std::string> key = internal::KeyOfItem(key_func_, item);
    if (!key) return std::move(key).error();
    const MonitorLock lock(*monitor_);
    populated_ = true;
    if (items_.try_emplace(*key, std::move(item)).second) line_.push_back(*std::move(key));
    monitor_->NotifyAll();
    return {};
  }
  // Removes the item of the same key; does nothing if none waits.
  Result<void> Delete(const T& item) {
    Result<std::string> key = internal::KeyOfItem(key_func_, item);
    if (!key) return std::move(key).error();
    const MonitorLock lock(*monitor_);
    populated_ = true;
    items_.erase(*key);
    return {};
  }
  // Replaces all items that wait, in the order of `items`. Of equal keys the last item counts. If
  // one has no key, nothing changes.
  Result<void> Replace(std::vector<T> items) {
    std::unordered_map<std::string, T> all;
    std::deque<std::string> line;
    for (T& item : items) {
      Result<std::string> key = internal::KeyOfItem(key_func_, item);
      if (!key) return std::move(key).error();
      if (all.insert_or_assign(*key, std::move(item)).second) line.push_back(*std::move(key));
    }
    const MonitorLock lock(*monitor_);
    if (!populated_) {
      populated_ = true;
      first_list_ = all.size();
    }
    items_.swap(all);
    line_.swap(line);
    monitor_->NotifyAll();
    return {};
  }
  // Does nothing: every item waits already.
  Result<void> Resync() { return {}; }

  // Waits for an item and calls `process` with it, on this thread, and whether it belongs to the
  // first Replace. The item has then left the queue, even if `process` fails or throws. Returns the
  // result of `process`. kStopped: the queue is closed and empty. kWouldDeadlock: called on a loop,
  // or inside of a process function of this queue.
  Result<void> Pop(
      const std::function<Result<void>(const T& item, bool is_in_initial_list)>& process) {
    if (std::optional<Error> why = internal::WhyNotBlock(env_)) return *std::move(why);
    bool initial = false;
    std::optional<T> item;
    Turn turn(*this);
    {
      MonitorLock lock(*monitor_);
      if (consumer_ == std::this_thread::get_id()) {
        return Error(Reason::kWouldDeadlock,
                     "Pop was called inside a process function of the same queue");
      }
      while (true) {
        while (consumer_ != std::thread::id() || line_.empty()) {
          if (closed_ && line_.empty()) return Error(Reason::kStopped, "the queue is closed");
          lock.Wait();
        }
        initial = !HasSyncedLocked();
        auto found = items_.find(line_.front());
        line_.pop_front();
        if (found == items_.end()) {  // deleted meanwhile
          if (first_list_ > 0) --first_list_;
          continue;
        }
        item.emplace(std::move(found->second));
        items_.erase(found);
        turn.Begin();
        break;
      }
    }
    return process(*item, initial);
  }

  // Returns true once the first Replace has been processed, or something was written before any
  // Replace.
  [[nodiscard]] bool HasSynced() const {
    const MonitorLock lock(*monitor_);
    return HasSyncedLocked();
  }

  // Closes the queue: Pop returns kStopped once it is empty. Producers are not refused.
  void Close() {
    const MonitorLock lock(*monitor_);
    closed_ = true;
    monitor_->NotifyAll();
  }
  [[nodiscard]] bool IsClosed() const {
    const MonitorLock lock(*monitor_);
    return closed_;
  }

  // ---- What waits

  [[nodiscard]] Result<std::optional<T>> Get(const T& item) const {
    Result<std::string> key = internal::KeyOfItem(key_func_, item);
    if (!key) return std::move(key).error();
    return GetByKey(*key);
  }
  [[nodiscard]] std::optional<T> GetByKey(const std::string& key) const {
    const MonitorLock lock(*monitor_);
    const auto found = items_.find(key);
    if (found == items_.end()) return std::nullopt;
    return found->second;
  }
  // Return all items, and all keys, in unspecified order.
  [[nodiscard]] std::vector<T> List() const {
    const MonitorLock lock(*monitor_);
    std::vector<T> list;
    list.reserve(items_.size());
    for (const auto& [key, item] : items_) list.push_back(item);
    return list;
  }
  [[nodiscard]] std::vector<std::string> ListKeys() const {
    const MonitorLock lock(*monitor_);
    std::vector<std::string> list;
    list.reserve(items_.size());
    for (const auto& [key, item] : items_) list.push_back(key);
    return list;
  }

 private:
  // A call of Pop.
  class Turn {
   public:
    explicit Turn(FIFO& fifo) : fifo_(fifo) {
      const MonitorLock lock(*fifo_.monitor_);
      ++fifo_.inside_;
    }
    ~Turn() {
      const MonitorLock lock(*fifo_.monitor_);
      --fifo_.inside_;
      if (consumes_) {
        fifo_.consumer_ = std::thread::id();
        if (fifo_.first_list_ > 0) --fifo_.first_list_;
      }
      fifo_.monitor_->NotifyAll();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    // Called with the lock held, when an item was taken.
    void Begin() {
      fifo_.consumer_ = std::this_thread::get_id();
      consumes_ = true;
    }

   private:
    FIFO& fifo_;
    bool consumes_ = false;
  };

  [[nodiscard]] bool HasSyncedLocked() const { return populated_ && first_list_ == 0; }

  Env& env_;
  const std::unique_ptr<Monitor> monitor_;
  const KeyFunc<T> key_func_;
  // Guarded by monitor_, as are all members below.
  std::unordered_map<std::string, T> items_;
  std::deque<std::string> line_;  // of keys, also of items that were deleted since
  std::size_t first_list_ = 0;    // items of the first Replace that have not been processed
  std::thread::id consumer_;      // of the thread whose process function runs
  int inside_ = 0;                // calls of Pop
  bool populated_ = false;
  bool closed_ = false;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_FIFO_H_
