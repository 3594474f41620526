// cache/boxes/delta_fifo.h
//
// DeltaFIFO: deltas collected per key; keys come out in the order of their first waiting delta. The
// classic queue: many changes of one object cost one pop, but the order across objects is lost, and
// with it the version of the whole. Counterpart: cache.DeltaFIFO.

#ifndef KINFORMER_CACHE_BOXES_DELTA_FIFO_H_
#define KINFORMER_CACHE_BOXES_DELTA_FIFO_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cache/deltas/delta_queue.h"
#include "cache/store/fifo_buffer.h"

namespace kinformer::internal::cache {

struct DeltaFIFOOptions {
  // The consumer's store. With it, deletions of unknown objects are dropped, a list deletes what it
  // lacks and a resync redelivers all. Null: only queued objects are known.
  const KnownObjects* known_objects = nullptr;
  // Type of an object of a list: kReplaced, or kSync as in client-go without
  // EmitDeltaTypeReplaced.
  DeltaType replaced_type = DeltaType::kReplaced;
};

class DeltaFIFO final : public DeltaQueue {
 public:
  explicit DeltaFIFO(DeltaFIFOOptions options = {}) : options_(options) {}

  void Push(DeltaType type, ObjectRef object, bool final_state_unknown) override;
  void Replace(std::vector<ObjectRef> objects, std::vector<ObjectName> unreadable,
               std::string resourceVersion) override;
  void Resync() override;
  // A no-op: changes by key have no version of the collection.
  void Bookmark(std::string_view) override {}
  void Unreadable(ObjectName name, bool deleted) override;

  // Takes all deltas of the key that waits longest, whatever `max` is.
  bool PopBatch(std::size_t max, DeltaBatch& out) override;
  void BatchDone() override;

  [[nodiscard]] bool HasSynced() const override { return populated_ && initial_count_ == 0; }
  // Returns the waiting deltas of a key, oldest first; null if there are none.
  [[nodiscard]] const std::vector<Delta>* Deltas(const std::string& key) const;

 private:
  // Returns whether the object is known to the consumer or queued.
  [[nodiscard]] bool Knows(const std::string& key, const Block& object) const;
  void Queue(const std::string& key, DeltaType type, ObjectRef object, bool final_state_unknown);
  std::vector<Delta> PopKey();

  const DeltaFIFOOptions options_;
  std::unordered_map<std::string, std::vector<Delta>> items_;
  // The keys of items_.
  FifoBuffer<std::string> queue_;
  FifoBuffer<Delta> unreadable_;
  bool populated_ = false;
  // Number of keys of the first Replace not processed yet.
  std::size_t initial_count_ = 0;
  // True if the last Pop returned the deltas of a key.
  bool popped_key_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_BOXES_DELTA_FIFO_H_
