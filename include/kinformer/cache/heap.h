// kinformer/cache/heap.h
//
// Heap<T>: items by key, of which the least is taken first.
//
//   Heap<Job> jobs(env, [](const Job& job) { return job.name; },
//                  [](const Job& a, const Job& b) { return a.due < b.due; });
//   jobs.Add({"backup", tonight}).OrExit();
//   Result<Job> next = jobs.Pop();  // waits for one
//
// A PriorityQueue (workqueue/priority_queue.h) has priorities, too, and is made for workers: it
// keeps an item away from others while one processes it.

#ifndef KINFORMER_CACHE_HEAP_H_
#define KINFORMER_CACHE_HEAP_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/key_func.h"
#include "kinformer/internal/flow.h"

namespace kinformer {

// Returns true if `a` comes before `b`; a strict weak order. Must be quick, and must not call the
// heap. Counterpart: cache.LessFunc.
template <class T>
using LessFunc = std::function<bool(const T& a, const T& b)>;

// A heap whose items have keys, each key once. Of items of which neither is less, the one that was
// added first comes first. Writes and Pop take O(log n).
//
// Thread-safe. Only Pop blocks, and the destructor, which closes the heap and waits until every Pop
// has returned. Exceptions of the two functions pass through, and the write is then not made.
// Ownership: has copies of the items. `env` must outlive it. Counterpart: cache.Heap.
template <class T>
class Heap {
 public:
  // Counterpart: cache.NewHeap.
  Heap(Env& env, KeyFunc<T> key_func, LessFunc<T> less)
      : env_(env),
        monitor_(env.NewMonitor()),
        key_func_(std::move(key_func)),
        less_(std::move(less)),
        line_(Before{&less_}) {}
  ~Heap() {
    MonitorLock lock(*monitor_);
    closed_ = true;
    monitor_->NotifyAll();
    while (inside_ > 0) lock.Wait();
  }
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // Add the item, or replace the one of the same key, and find its new place; both do the same.
  // kStopped: the heap is closed.
  Result<void> Add(T item) { return Put(std::move(item), /*replace=*/true); }
  Result<void> Update(T item) { return Put(std::move(item), /*replace=*/true); }
  // Adds all items before any of them is taken. Ends with the first error.
  Result<void> BulkAdd(std::vector<T> items) {
    const MonitorLock lock(*monitor_);
    for (T& item : items) {
      if (Result<void> put = PutLocked(std::move(item), /*replace=*/true); !put) return put;
    }
    return {};
  }
  // Adds the item unless there is one of the same key.
  Result<void> AddIfNotPresent(T item) { return Put(std::move(item), /*replace=*/false); }
  // Removes the item of the same key. kNotFound: there is none.
  Result<void> Delete(const T& item) {
    Result<std::string> key = internal::KeyOfItem(key_func_, item);
    if (!key) return std::move(key).error();
    const MonitorLock lock(*monitor_);
    const auto found = items_.find(*key);
    if (found == items_.end()) return Error(Reason::kNotFound, "the heap has no item " + *key);
    line_.erase(found->second.place);
    items_.erase(found);
    return {};
  }

  // Returns the least item, and removes it; waits for one. kStopped: the heap is closed and empty.
  // kWouldDeadlock: called on a loop.
  Result<T> Pop() {
    if (std::optional<Error> why = internal::WhyNotBlock(env_)) return *std::move(why);
    MonitorLock lock(*monitor_);
    const Inside inside(*this);
    while (line_.empty()) {
      if (closed_) return Closed();
      lock.Wait();
    }
    const auto found = items_.find((*line_.begin())->key);
    T item = std::move(found->second.node->item);
    line_.erase(found->second.place);
    items_.erase(found);
    return item;
  }

  // Returns the item of the same key, if there is one.
  [[nodiscard]] Result<std::optional<T>> Get(const T& item) const {
    Result<std::string> key = internal::KeyOfItem(key_func_, item);
    if (!key) return std::move(key).error();
    return GetByKey(*key);
  }
  [[nodiscard]] std::optional<T> GetByKey(const std::string& key) const {
    const MonitorLock lock(*monitor_);
    const auto found = items_.find(key);
    if (found == items_.end()) return std::nullopt;
    return found->second.node->item;
  }
  // Return all items, and all keys, in unspecified order.
  [[nodiscard]] std::vector<T> List() const {
    const MonitorLock lock(*monitor_);
    std::vector<T> list;
    list.reserve(items_.size());
    for (const auto& [key, entry] : items_) list.push_back(entry.node->item);
    return list;
  }
  [[nodiscard]] std::vector<std::string> ListKeys() const {
    const MonitorLock lock(*monitor_);
    std::vector<std::string> list;
    list.reserve(items_.size());
    for (const auto& [key, entry] : items_) list.push_back(key);
    return list;
  }

  // Closes the heap: nothing can be added, and Pop returns kStopped once it is empty.
  void Close() {
    const MonitorLock lock(*monitor_);
    closed_ = true;
    monitor_->NotifyAll();
  }
  [[nodiscard]] bool IsClosed() const {
    const MonitorLock lock(*monitor_);
    return closed_;
  }

 private:
  struct Node {
    std::string key;
    T item;
    std::uint64_t number;  // in the order of the additions
  };
  struct Before {
    bool operator()(const Node* a, const Node* b) const {
      if ((*less)(a->item, b->item)) return true;
      if ((*less)(b->item, a->item)) return false;
      return a->number < b->number;
    }
    const LessFunc<T>* less;
  };
  using Line = std::set<const Node*, Before>;
  struct Entry {
    std::unique_ptr<Node> node{};
    typename Line::iterator place{};
  };
  // A call of Pop. Made and destroyed with the lock held.
  class Inside {
   public:
    explicit Inside(Heap& heap) : heap_(heap) { ++heap_.inside_; }
    ~Inside() {
      if (--heap_.inside_ == 0 && heap_.closed_) heap_.monitor_->NotifyAll();
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    Heap& heap_;
  };

  static Error Closed() { return {Reason::kStopped, "the heap is closed"}; }

  Result<void> Put(T item, bool replace) {
    const MonitorLock lock(*monitor_);
    return PutLocked(std::move(item), replace);
  }
  // Changes nothing until the functions of the program have returned.
  Result<void> PutLocked(T item, bool replace) {
    if (closed_) return Closed();
    Result<std::string> key = internal::KeyOfItem(key_func_, item);
    if (!key) return std::move(key).error();
    const auto found = items_.find(*key);
    if (found != items_.end() && !replace) return {};
    const std::uint64_t number = found == items_.end() ? next_ : found->second.node->number;
    auto node = std::make_unique<Node>(Node{*std::move(key), std::move(item), number});
    const auto [place, is_new] = line_.insert(node.get());
    if (!is_new) {  // it stays where it is
      found->second.node->item = std::move(node->item);
    } else if (found != items_.end()) {
      line_.erase(found->second.place);
      found->second = Entry{std::move(node), place};
    } else {
      ++next_;
      std::string own_key = node->key;
      items_.emplace(std::move(own_key), Entry{std::move(node), place});
    }
    monitor_->NotifyOne();
    return {};
  }

  Env& env_;
  const std::unique_ptr<Monitor> monitor_;
  const KeyFunc<T> key_func_;
  const LessFunc<T> less_;
  // Guarded by monitor_, as are all members below.
  Line line_;
  std::unordered_map<std::string, Entry> items_;
  std::uint64_t next_ = 0;
  int inside_ = 0;  // calls of Pop
  bool closed_ = false;
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_HEAP_H_
