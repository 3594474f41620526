// cache/deltas/delta_queue.h
//
// DeltaQueue: a queue of changes between a reflector and a consumer: RealFIFO, which informers use,
// and DeltaFIFO (cache/boxes/delta_fifo.h). Counterpart: cache.Queue.

#ifndef KINFORMER_CACHE_DELTAS_DELTA_QUEUE_H_
#define KINFORMER_CACHE_DELTAS_DELTA_QUEUE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/object/object_name.h"

#include "cache/deltas/delta.h"

namespace kinformer::internal::cache {

// Entries to be processed together.
struct DeltaBatch {
  std::vector<Delta> deltas{};
  bool is_in_initial_list = false;
};

// Confined to one thread, in an informer the loop. Producers and the consumer alternate there, so
// no call blocks: PopBatch returns false where client-go's Pop waits. A popped batch counts as
// waiting until BatchDone, so HasSynced means that the list is processed.
//
// An empty queue takes no heap memory.
class DeltaQueue {
 public:
  virtual ~DeltaQueue() = default;

  // Adds a change of one object: kAdded, kUpdated or kDeleted. `final_state_unknown`: the deletion
  // is a tombstone.
  virtual void Push(DeltaType type, ObjectRef object, bool final_state_unknown) = 0;
  void Add(ObjectRef object) { Push(DeltaType::kAdded, std::move(object), false); }
  void Update(ObjectRef object) { Push(DeltaType::kUpdated, std::move(object), false); }
  void Delete(ObjectRef object, bool final_state_unknown) {
    Push(DeltaType::kDeleted, std::move(object), final_state_unknown);
  }
  // Makes the collection exactly `objects` and `unreadable` (names that exist but cannot be read).
  virtual void Replace(std::vector<ObjectRef> objects, std::vector<ObjectName> unreadable,
                       std::string resourceVersion) = 0;
  // Redelivers all known objects.
  virtual void Resync() = 0;
  virtual void Bookmark(std::string_view resourceVersion) = 0;
  virtual void Unreadable(ObjectName name, bool deleted) = 0;

  // Takes up to `max` entries. Returns false if the queue is empty. REQUIRES: the previous batch is
  // done.
  virtual bool PopBatch(std::size_t max, DeltaBatch& out) = 0;
  virtual void BatchDone() = 0;

  // Returns true once the first Replace is processed, or if another delta came first. Latched.
  [[nodiscard]] virtual bool HasSynced() const = 0;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELTAS_DELTA_QUEUE_H_
