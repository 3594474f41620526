// cache/deltas/delta_queue.h
//
// DeltaQueue: what stands between reflector and controller. Two kinds: RealFIFO (in order; the
// default) and DeltaFIFO (per key; classic). Counterpart: cache.Queue.

#ifndef KINFORMER_CACHE_DELTAS_DELTA_QUEUE_H_
#define KINFORMER_CACHE_DELTAS_DELTA_QUEUE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/object_name.h"

#include "cache/deltas/delta.h"

namespace kinformer::internal::cache {

// Entries that are processed together.
struct DeltaBatch {
  std::vector<Delta> deltas{};
  bool is_in_initial_list = false;
  // HasSynced, as it will be once the batch is done.
  bool synced_when_done = false;
};

// Confined to one thread, in an informer the loop: producers and the consumer take turns there, so
// that nothing blocks, and PopBatch says "empty" where client-go's waits. What has been popped
// counts as waiting until BatchDone, so that HasSynced means processed.
//
// An empty queue holds no memory of its own.
class DeltaQueue {
 public:
  virtual ~DeltaQueue() = default;

  virtual void Add(ObjectRef object) = 0;
  virtual void Update(ObjectRef object) = 0;
  // `final_state_unknown`: a tombstone.
  virtual void Delete(ObjectRef object, bool final_state_unknown) = 0;
  // The collection is exactly `objects` (and `unreadable`, which exist but cannot be read).
  virtual void Replace(std::vector<ObjectRef> objects, std::vector<ObjectName> unreadable,
                       std::string resourceVersion) = 0;
  // Redelivers what is known.
  virtual void Resync() = 0;
  virtual void Bookmark(std::string_view resourceVersion) = 0;
  virtual void Unreadable(ObjectName name, bool deleted) = 0;

  // Takes the next entries, at most `max`; false: there are none. REQUIRES: the previous batch is
  // done.
  virtual bool PopBatch(std::size_t max, DeltaBatch& out) = 0;
  virtual void BatchDone() = 0;

  // The first Replace has been processed, or something else came before it. Latched.
  [[nodiscard]] virtual bool HasSynced() const = 0;
  [[nodiscard]] virtual std::size_t Len() const = 0;
  [[nodiscard]] virtual std::size_t Bytes() const = 0;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELTAS_DELTA_QUEUE_H_
