// kinformer/delta_fifo.h
//
// Queues of changes: the hand-off between a Reflector, which learns on the loop what changes, and a
// thread of yours that works the changes off. Two kinds:
//
//   RealFIFO<T>   gives out every change in the order in which it happened.
//   DeltaFIFO<T>  collects the changes of each object: the object that has waited longest comes
//                 out with everything that has happened to it since it last did.
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

#ifndef KINFORMER_DELTA_FIFO_H_
#define KINFORMER_DELTA_FIFO_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/delta.h"
#include "kinformer/env.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/delta_queue_core.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/object_name.h"
#include "kinformer/ref.h"
#include "kinformer/reflector.h"
#include "kinformer/resource.h"
#include "kinformer/result.h"
#include "kinformer/store.h"

namespace kinformer {

// Works off what a queue gives out. `is_in_initial_list`: it belongs to the first list.
// Counterpart: cache.PopProcessFunc, cache.ProcessFunc, cache.ProcessBatchFunc.
template <ObjectView T>
using ProcessFunc = std::function<Result<void>(const Deltas<T>& deltas, bool is_in_initial_list)>;

// Producers call the methods of ReflectorStore, a consumer calls Pop.
//
// Guarantees of the queues here: changes of one object come out in the order in which they went in;
// no two process functions run at a time. They hold what nobody has popped yet, however much that
// is.
// Thread-safe. Pop and PopBatch block, nothing else does: producers do not wait for the process
// function, which may take its time.
// Ownership: the objects are shared. Destruction closes the queue and waits until every Pop has
// returned.
// Counterpart: cache.Queue, cache.QueueWithBatch.
template <ObjectView T>
class Queue : public ReflectorStore<T> {
 public:
  using ReflectorStore<T>::Delete;
  // An object is gone of which `tombstone` is an earlier state.
  virtual Result<void> Delete(const DeletedFinalStateUnknown<T>& tombstone) = 0;

  // Waits until there is something to do and calls `process` with it, on this thread. What it had
  // is gone from the queue, also where it fails or throws.
  // Returns what `process` returns. kStopped: the queue is closed, and nothing is left.
  // kWouldDeadlock: on the loop thread, and inside a process function of this queue.
  virtual Result<void> Pop(const ProcessFunc<T>& process) = 0;
  // The same for what goes together: changes of different objects come as one to `process_batch`,
  // at most 1,000; anything that comes alone goes to `process_single`. Both must do the same with
  // the same change. A queue that knows no batches only pops.
  virtual Result<void> PopBatch(const ProcessFunc<T>& process_batch,
                                const ProcessFunc<T>& process_single) {
    static_cast<void>(process_batch);
    return Pop(process_single);
  }

  // All of the first Replace has been processed, or a single change came before any Replace. Stays
  // true.
  [[nodiscard]] virtual bool HasSynced() const = 0;

  // Whoever waits in Pop returns once nothing is left. Producers are not refused. May be called
  // again.
  virtual void Close() = 0;
  [[nodiscard]] virtual bool IsClosed() const = 0;

  // "namespace/name", or "name" where there is no namespace. Empty for changes that are not about
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
  // Of the newest.
  [[nodiscard]] static std::string KeyOf(const Deltas<T>& deltas) {
    return deltas.empty() ? std::string() : KeyOf(deltas.back());
  }
};

// What the consumer of a queue knows: what it has made of the changes that it has popped.
//
// The queue asks on the thread that calls Pop, never while a process function runs, so that what
// process functions write needs no lock. Counterpart: cache.KeyListerGetter.
template <ObjectView T>
class KeyListerGetter {
 public:
  virtual ~KeyListerGetter() = default;
  [[nodiscard]] virtual std::vector<std::string> ListKeys() const = 0;
  // Null where there is no such object.
  [[nodiscard]] virtual Ref<T> GetByKey(std::string_view key) const = 0;
};

// A Store or an Indexer in that part.
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
  // With it, a list deletes what is known and not in it, a resync redelivers what is known, and a
  // deletion of what is known counts. Empty: only what waits in the queue is known.
  std::shared_ptr<const KeyListerGetter<T>> known_objects{};
};

// Counterpart: cache.RealFIFOOptions.
template <ObjectView T>
struct RealFIFOOptions {
  // With it, a list is spelled out: a tombstone for each object that is known or waits and is not
  // in the list, then kReplaced for each that is; a resync is kSync for each that is known and does
  // not wait; bookmarks are dropped. Empty: a list is one kReplacedAll, a resync one kSyncAll, and
  // the consumer works out what they mean, so that it can apply a list in one step.
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

// Both queues: types around a DeltaQueueCore.
template <ObjectView T>
class TypedDeltaQueue : public Queue<T> {
 public:
  TypedDeltaQueue(Env& env, QueueKind kind, std::shared_ptr<const KeyListerGetter<T>> known_objects)
      : core_(std::make_shared<DeltaQueueCore>(env, kind, Untyped<T>(std::move(known_objects)))) {}

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

// See Queue. Pop gives the changes of one object, the one that has waited longest; it keeps its
// place when more happens to it. Of deletions in a row only one is kept, the one that knows the
// final state. A deletion of an object that is neither known nor waiting is dropped. There are no
// bookmarks.
// Counterpart: cache.DeltaFIFO, with EmitDeltaTypeReplaced.
template <ObjectView T>
class DeltaFIFO final : public internal::TypedDeltaQueue<T> {
 public:
  explicit DeltaFIFO(Env& env, DeltaFIFOOptions<T> options = {})
      : internal::TypedDeltaQueue<T>(env, QueueKind::kDeltaFIFO, std::move(options.known_objects)) {
  }
};

// See Queue. Pop gives one change.
// Counterpart: cache.RealFIFO.
template <ObjectView T>
class RealFIFO final : public internal::TypedDeltaQueue<T> {
 public:
  explicit RealFIFO(Env& env, RealFIFOOptions<T> options = {})
      : internal::TypedDeltaQueue<T>(env, QueueKind::kInOrder, std::move(options.known_objects)) {}

  // A batch holds no object twice, and not both the first list and later changes.
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

#endif  // KINFORMER_DELTA_FIFO_H_
