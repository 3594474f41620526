// kinformer/cache/delta_fifo.h
//
// Queues of changes, between a Reflector, which receives them on the loop, and a thread of the
// program that processes them. Two kinds:
//
//   RealFIFO<T>   returns every change in the order in which it happened.
//   DeltaFIFO<T>  collects the changes of each object: it returns the object that has waited
//                 longest, with all its changes since it was last returned.
//
//   auto queue = std::make_shared<RealFIFO<corev1::Pod>>(client.env());
//   Reflector<corev1::Pod> pods(client.env(), NewListWatch<corev1::Pod>(client), queue);
//   // On one thread pods.Run(stop), on another:
//   while (queue->Pop([](const Deltas<corev1::Pod>& deltas, bool is_in_initial_list) {
//     for (const Delta<corev1::Pod>& delta : deltas) ...
//     return Result<void>();
//   })) {
//   }
//
// CacheController (cache_controller.h) runs both halves.

#ifndef KINFORMER_CACHE_DELTA_FIFO_H_
#define KINFORMER_CACHE_DELTA_FIFO_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/delta.h"
#include "kinformer/cache/reflector.h"
#include "kinformer/cache/store.h"
#include "kinformer/internal/delta_queue_core.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/raw_delta.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"

namespace kinformer {

// Processes changes from a queue. `is_in_initial_list`: they belong to the first list. Counterpart:
// cache.PopProcessFunc, cache.ProcessFunc, cache.ProcessBatchFunc.
template <ObjectView T>
using ProcessFunc = std::function<Result<void>(const Deltas<T>& deltas, bool is_in_initial_list)>;

// A queue of changes. Producers call the methods of ReflectorStore, a consumer
// calls Pop.
//
// Guarantees of the queues here: changes of one object are returned in the order
// in which they were added; process functions never run at the same time. Their
// size has no limit: all changes wait until they are popped. Thread-safe. Only
// Pop and PopBatch block: producers do not wait for the process function, which
// may be slow. Ownership: the objects are shared. Destruction closes the queue
// and waits until every Pop has returned. Counterpart: cache.Queue,
// cache.QueueWithBatch.
template <ObjectView T>
class Queue : public ReflectorStore<T> {
 public:
  using ReflectorStore<T>::Delete;
  // Adds a deletion of an object of which only the earlier state `tombstone` is known.
  virtual Result<void> Delete(const DeletedFinalStateUnknown<T>& tombstone) = 0;

  // Waits for an entry and calls `process` with it, on this thread. The entry has then left the
  // queue, even if `process` fails or throws. Returns the result of `process`. kStopped: the queue
  // is closed and empty. kWouldDeadlock: called on the loop thread, or inside a process function of
  // this queue.
  virtual Result<void> Pop(const ProcessFunc<T>& process) = 0;
  // Does the same for several changes: those of different objects are passed to `process_batch`
  // together, up to 1,000; a single change is passed to `process_single`. Both must treat a change
  // in the same way. A queue without batches only pops.
  virtual Result<void> PopBatch(const ProcessFunc<T>& process_batch,
                                const ProcessFunc<T>& process_single) {
    static_cast<void>(process_batch);
    return Pop(process_single);
  }

  // Returns true once the whole first Replace has been processed, or a change was added before any
  // Replace. Never becomes false again.
  [[nodiscard]] virtual bool HasSynced() const = 0;

  // Closes the queue: Pop returns kStopped once it is empty. Producers are not refused. May be
  // called again.
  virtual void Close() = 0;
  [[nodiscard]] virtual bool IsClosed() const = 0;

  // Returns "namespace/name", or "name" without a namespace. Empty for changes that do not concern
  // one object.
  [[nodiscard]] static std::string KeyOf(const Ref<T>& object) {
    return object ? internal::KeyOfBlock(*object.object()) : std::string();
  }
  [[nodiscard]] static std::string KeyOf(const DeletedFinalStateUnknown<T>& tombstone) {
    return KeyOf(tombstone.object);
  }
  [[nodiscard]] static std::string KeyOf(const Delta<T>& delta) {
    const bool named = delta.type == DeltaType::kUnreadable && delta.info != nullptr &&
                       !delta.info->unreadable.empty();
    return named ? delta.info->unreadable.front().ToString() : KeyOf(delta.object);
  }
  // Returns the key of the newest change.
  [[nodiscard]] static std::string KeyOf(const Deltas<T>& deltas) {
    return deltas.empty() ? std::string() : KeyOf(deltas.back());
  }
};

// Objects known to the consumer of a queue: its result of the changes popped so far.
//
// The queue asks on the thread that calls Pop, never while a process function runs, so process
// functions may write this without a lock. Counterpart: cache.KeyListerGetter.
template <ObjectView T>
class KeyListerGetter {
 public:
  virtual ~KeyListerGetter() = default;
  [[nodiscard]] virtual std::vector<std::string> ListKeys() const = 0;
  // Returns null if there is no such object.
  [[nodiscard]] virtual Ref<T> GetByKey(std::string_view key) const = 0;
};

// Objects of a Store or an Indexer, as known objects.
template <ObjectView T>
class StoreKeys final : public KeyListerGetter<T> {
 public:
  explicit StoreKeys(Store<T> store) : store_(std::move(store)) {}
  [[nodiscard]] std::vector<std::string> ListKeys() const override { return store_.ListKeys(); }
  [[nodiscard]] Ref<T> GetByKey(std::string_view key) const override {
    return store_.GetByKey(key);
  }

 private:
  const Store<T> store_;
};

// Counterpart: cache.DeltaFIFOOptions.
template <ObjectView T>
struct DeltaFIFOOptions {
  // Objects known to the consumer: then lists delete known objects that they lack, resyncs repeat
  // known objects, and deletions of known objects are kept. Empty: only queued objects are known.
  std::shared_ptr<const KeyListerGetter<T>> known_objects{};
};

// Counterpart: cache.RealFIFOOptions.
template <ObjectView T>
struct RealFIFOOptions {
  // Objects known to the consumer: then a list becomes single changes, a tombstone for each known
  // or queued object that it lacks, then kReplaced for each of its objects; a resync becomes kSync
  // for each known object that is not queued; bookmarks are dropped. Empty: a list is one
  // kReplacedAll, a resync one kSyncAll, so that the consumer can apply a list in one step.
  std::shared_ptr<const KeyListerGetter<T>> known_objects{};
};

namespace internal {

template <ObjectView T>
class TypedKnownObjects final : public cache::KnownObjects {
 public:
  explicit TypedKnownObjects(std::shared_ptr<const KeyListerGetter<T>> known)
      : known_(std::move(known)) {}
  [[nodiscard]] ObjectRef Get(std::string_view namespace_, std::string_view name) const override {
    return known_->GetByKey(ObjectName{std::string(namespace_), std::string(name)}.ToString())
        .object();
  }
  void ForEach(const std::function<void(ObjectRef)>& visit) const override {
    for (const std::string& key : known_->ListKeys()) {
      if (Ref<T> object = known_->GetByKey(key)) visit(object.object());
    }
  }

 private:
  const std::shared_ptr<const KeyListerGetter<T>> known_;
};

template <ObjectView T>
std::unique_ptr<const cache::KnownObjects> Untyped(
    std::shared_ptr<const KeyListerGetter<T>> known_objects) {
  if (known_objects == nullptr) return nullptr;
  return std::make_unique<TypedKnownObjects<T>>(std::move(known_objects));
}

template <ObjectView T>
Deltas<T> TypedDeltas(std::vector<cache::Delta> untyped) {
  Deltas<T> deltas;
  deltas.reserve(untyped.size());
  for (cache::Delta& from : untyped) {
    Delta<T>& to = deltas.emplace_back();
    to.type = from.type;
    to.final_state_unknown = from.final_state_unknown;
    to.object = Ref<T>(std::move(from.object));
    if (from.extra == nullptr || from.type == DeltaType::kSyncAll) continue;
    to.info = std::make_shared<ReplacedAllInfo<T>>(
        ReplacedAllInfo<T>{.resourceVersion = std::move(from.extra->resourceVersion),
                           .objects = TypedRefs<T>(std::move(from.extra->objects)),
                           .unreadable = std::move(from.extra->unreadable)});
  }
  return deltas;
}

// Typed methods of both queues, around a DeltaQueueCore.
template <ObjectView T>
class TypedDeltaQueue : public Queue<T> {
 public:
  TypedDeltaQueue(Env& env, DeltaQueueCore::Order order,
                  std::shared_ptr<const KeyListerGetter<T>> known_objects)
      : core_(std::make_shared<DeltaQueueCore>(env, order, Untyped<T>(std::move(known_objects)))) {}

  Result<void> Add(const Ref<T>& object) override { return Push(DeltaType::kAdded, object); }
  Result<void> Update(const Ref<T>& object) override { return Push(DeltaType::kUpdated, object); }
  Result<void> Delete(const Ref<T>& object) override { return Push(DeltaType::kDeleted, object); }
  Result<void> Delete(const DeletedFinalStateUnknown<T>& tombstone) override {
    return Push(DeltaType::kDeleted, tombstone.object, true);
  }
  Result<void> Replace(ReplacedAllInfo<T> list) override {
    cache::DeltaExtra extra;
    extra.resourceVersion = std::move(list.resourceVersion);
    extra.unreadable = std::move(list.unreadable);
    extra.objects.reserve(list.objects.size());
    for (const Ref<T>& object : list.objects) extra.objects.push_back(object.object());
    return core_->PushExtra(DeltaType::kReplacedAll, std::move(extra));
  }
  Result<void> Resync() override { return core_->PushExtra(DeltaType::kSyncAll, {}); }
  Result<void> Bookmark(std::string_view resourceVersion) override {
    return core_->PushExtra(DeltaType::kBookmark,
                            {.resourceVersion = std::string(resourceVersion)});
  }
  Result<void> Unreadable(const ObjectName& name, bool deleted) override {
    return core_->PushExtra(DeltaType::kUnreadable, {.unreadable = {name}}, deleted);
  }

  Result<void> Pop(const ProcessFunc<T>& process) override {
    return core_->Pop(1, [&](std::vector<cache::Delta>& deltas, bool initial) {
      return process(TypedDeltas<T>(std::move(deltas)), initial);
    });
  }
  [[nodiscard]] bool HasSynced() const override { return core_->HasSynced(); }
  void Close() override { core_->Close(); }
  [[nodiscard]] bool IsClosed() const override { return core_->IsClosed(); }

  [[nodiscard]] const std::shared_ptr<DeltaQueueCore>& core() const { return core_; }

 private:
  Result<void> Push(DeltaType type, const Ref<T>& object, bool final_state_unknown = false) {
    return core_->Push(type, object.object(), final_state_unknown);
  }

  const std::shared_ptr<DeltaQueueCore> core_;
};

}  // namespace internal

// Queue by object: see Queue. Pop returns the changes of the object that has waited longest;
// it keeps its place when further changes arrive. Consecutive deletions are merged into one,
// with the final state if that is known. Deletions of objects that are neither known nor
// queued are dropped, and so are bookmarks. Counterpart: cache.DeltaFIFO, with
// EmitDeltaTypeReplaced.
template <ObjectView T>
class DeltaFIFO final : public internal::TypedDeltaQueue<T> {
 public:
  explicit DeltaFIFO(Env& env, DeltaFIFOOptions<T> options = {})
      : internal::TypedDeltaQueue<T>(env, internal::DeltaQueueCore::Order::kOfKeys,
                                     std::move(options.known_objects)) {}
};

// Queue in order of arrival: see Queue. Pop returns one change. Counterpart:
// cache.RealFIFO.
template <ObjectView T>
class RealFIFO final : public internal::TypedDeltaQueue<T> {
 public:
  explicit RealFIFO(Env& env, RealFIFOOptions<T> options = {})
      : internal::TypedDeltaQueue<T>(env, internal::DeltaQueueCore::Order::kOfArrival,
                                     std::move(options.known_objects)) {}

  // Processes a batch, which has no object twice, and never both the first list and later changes.
  Result<void> PopBatch(const ProcessFunc<T>& process_batch,
                        const ProcessFunc<T>& process_single) override {
    return this->core()->Pop(internal::DeltaQueueCore::kBatch,
                             [&](std::vector<internal::cache::Delta>& deltas, bool initial) {
                               const ProcessFunc<T>& process =
                                   deltas.size() == 1 ? process_single : process_batch;
                               return process(internal::TypedDeltas<T>(std::move(deltas)), initial);
                             });
  }
};

}  // namespace kinformer

#endif  // KINFORMER_CACHE_DELTA_FIFO_H_
