// kinformer/cache/queue.h
//
// Queue<T>: changes on their way from a Reflector, which receives them on the loop, to a thread of
// the program that processes them. Two kinds:
//
//   RealFIFO<T>   (real_fifo.h) returns every change in the order in which it happened.
//   DeltaFIFO<T>  (delta_fifo.h) collects the changes of each object: it returns the object that
//                 has waited longest, with all its changes since it was last returned.
//
// CacheController (controller.h) fills a queue and processes it.

#ifndef KINFORMER_CACHE_QUEUE_H_
#define KINFORMER_CACHE_QUEUE_H_

#include <functional>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/cache/delta.h"
#include "kinformer/cache/reflector.h"
#include "kinformer/internal/indexer_core.h"
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

}  // namespace kinformer

#endif  // KINFORMER_CACHE_QUEUE_H_
