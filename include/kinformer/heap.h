// kinformer/heap.h
//
// Heap: items by key, returned in an order that the program defines. For queues whose next item is
// the most urgent one, not the oldest.
//
//   struct Pending { std::string key; int priority; };
//   Heap<Pending> heap(env, [](const Pending& p) { return p.key; },
//                      [](const Pending& a, const Pending& b) { return a.priority > b.priority; });
//   heap.Add({"default/web-0", 10}).OrExit();
//   while (Result<Pending> next = heap.Pop()) ...  // an error once the heap is closed and empty

#ifndef KINFORMER_HEAP_H_
#define KINFORMER_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/result.h"

namespace kinformer {

// Returns an item's key, always the same for the same item. Counterpart:
// cache.KeyFunc.
template <class Item, class Key = std::string>
using HeapKeyFunc = std::function<Key(const Item&)>;

// Returns true if the first item comes before the second: a strict weak order. Runs under the
// heap's lock: must be quick, not throw, and not call the heap. Counterpart: cache.LessFunc.
template <class Item>
using LessFunc = std::function<bool(const Item&, const Item&)>;

// A blocking priority queue that holds each key once. Items of equal rank are
// returned in the order in which they were last added or updated. `Item` is
// copyable, `Key` is hashed by `Hash`.
//
// Thread-safe. Only Pop blocks, in the Env's time. Ownership: the heap copies
// items. It must outlive all calls, and `env` must outlive the heap. The destructor
// closes it and waits for blocked calls to return. Cost: O(log n) to add, update,
// delete or pop an item. Errors: kStopped from a closed heap. Counterpart:
// cache.Heap.
template <class Item, class Key = std::string, class Hash = std::hash<Key>>
class Heap {
 public:
  Heap(Env& env, HeapKeyFunc<Item, Key> key, LessFunc<Item> less)
      : env_(env), key_(std::move(key)), order_(Before{std::move(less)}) {}
  ~Heap() {
    Close();
    MonitorLock lock(*monitor_);
    while (poppers_ > 0) lock.Wait();
  }
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // Adds the item, or replaces the one with the same key.
  Result<void> Add(Item item) { return Insert(std::move(item), /*replaces=*/true); }
  // Does the same as Add, as in client-go.
  Result<void> Update(Item item) { return Add(std::move(item)); }
  // Adds the item unless its key exists; then the existing item stays. For a consumer that puts
  // back an unfinished item and must not overwrite a newer one.
  Result<void> AddIfNotPresent(Item item) { return Insert(std::move(item), /*replaces=*/false); }
  // Adds all items before any of them is returned.
  Result<void> BulkAdd(std::vector<Item> items) {
    std::vector<Key> keys;
    keys.reserve(items.size());
    for (const Item& item : items) keys.push_back(key_(item));
    const MonitorLock lock(*monitor_);
    if (closed_) return Closed();
    for (std::size_t i = 0; i < items.size(); ++i) {
      PutLocked(std::move(keys[i]), std::move(items[i]), /*replaces=*/true);
    }
    monitor_->NotifyAll();
    return {};
  }

  // Removes the item with the same key, also from a closed heap. kNotFound: there is none.
  Result<void> Delete(const Item& item) {
    const Key key = key_(item);
    const MonitorLock lock(*monitor_);
    const auto it = nodes_.find(key);
    if (it == nodes_.end()) {
      return Error(Reason::kNotFound, "the heap has no item with the key of the one to delete");
    }
    order_.erase(&it->second);
    nodes_.erase(it);
    return {};
  }

  // Waits for an item and returns the first. kStopped: the heap is closed and empty.
  // kWouldDeadlock: the heap is empty at the moment, and the caller is an event loop, which must
  // not wait.
  Result<Item> Pop() {
    MonitorLock lock(*monitor_);
    ++poppers_;
    while (order_.empty() && !closed_ && !env_.OnLoopThread()) lock.Wait();
    if (--poppers_ == 0 && closed_) monitor_->NotifyAll();
    if (order_.empty()) {
      if (closed_) return Closed();
      return Error(Reason::kWouldDeadlock,
                   "waiting for an item of a heap on an event loop's thread: call Pop on a thread "
                   "of Env::NewThread");
    }
    const auto it = nodes_.find(*(*order_.begin())->key);
    order_.erase(order_.begin());
    Item item = std::move(it->second.item);
    nodes_.erase(it);
    return item;
  }

  // Closes the heap: items can be popped but not added. Pop calls that wait return kStopped.
  void Close() {
    const MonitorLock lock(*monitor_);
    closed_ = true;
    monitor_->NotifyAll();
  }
  [[nodiscard]] bool IsClosed() const {
    const MonitorLock lock(*monitor_);
    return closed_;
  }

  // Returns copies of all items, in unspecified order.
  [[nodiscard]] std::vector<Item> List() const {
    const MonitorLock lock(*monitor_);
    std::vector<Item> items;
    items.reserve(nodes_.size());
    for (const auto& [key, node] : nodes_) items.push_back(node.item);
    return items;
  }
  [[nodiscard]] std::vector<Key> ListKeys() const {
    const MonitorLock lock(*monitor_);
    std::vector<Key> keys;
    keys.reserve(nodes_.size());
    for (const auto& [key, node] : nodes_) keys.push_back(key);
    return keys;
  }
  // Returns a copy of the item with this key, or nothing.
  [[nodiscard]] std::optional<Item> Get(const Item& item) const { return GetByKey(key_(item)); }
  [[nodiscard]] std::optional<Item> GetByKey(const Key& key) const {
    const MonitorLock lock(*monitor_);
    const auto it = nodes_.find(key);
    if (it == nodes_.end()) return std::nullopt;
    return it->second.item;
  }

 private:
  struct Node {
    Item item;
    std::uint64_t sequence = 0;
    const Key* key = nullptr;  // in nodes_, which does not move it
  };
  struct Before {
    LessFunc<Item> less;
    bool operator()(const Node* a, const Node* b) const {
      if (less(a->item, b->item)) return true;
      return !less(b->item, a->item) && a->sequence < b->sequence;
    }
  };

  static Error Closed() { return Error(Reason::kStopped, "the heap is closed"); }

  Result<void> Insert(Item item, bool replaces) {
    Key key = key_(item);
    const MonitorLock lock(*monitor_);
    if (closed_) return Closed();
    PutLocked(std::move(key), std::move(item), replaces);
    monitor_->NotifyOne();
    return {};
  }
  void PutLocked(Key key, Item item, bool replaces) {
    const auto it = nodes_.find(key);
    if (it == nodes_.end()) {
      const auto added =
          nodes_.emplace(std::move(key), Node{std::move(item), ++sequence_, nullptr}).first;
      added->second.key = &added->first;
      order_.insert(&added->second);
    } else if (replaces) {
      // Removes it from the order while its sort key changes.
      order_.erase(&it->second);
      it->second.item = std::move(item);
      it->second.sequence = ++sequence_;
      order_.insert(&it->second);
    }
  }

  Env& env_;
  const HeapKeyFunc<Item, Key> key_;
  const std::unique_ptr<Monitor> monitor_ = env_.NewMonitor();
  // Guarded by monitor_.
  std::unordered_map<Key, Node, Hash> nodes_;
  std::set<Node*, Before> order_;
  std::uint64_t sequence_ = 0;
  std::size_t poppers_ = 0;
  bool closed_ = false;
};

}  // namespace kinformer

#endif  // KINFORMER_HEAP_H_
