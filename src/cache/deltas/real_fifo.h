// cache/deltas/real_fifo.h
//
// RealFIFO: every delta is one entry, in the order received. The queue of informers. Counterpart:
// cache.RealFIFO.

#ifndef KINFORMER_CACHE_DELTAS_REAL_FIFO_H_
#define KINFORMER_CACHE_DELTAS_REAL_FIFO_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/deltas/delta_queue.h"
#include "cache/store/fifo_buffer.h"

namespace kinformer::internal::cache {

struct RealFIFOOptions {
  // The consumer's store. With it, a list is queued object by object: a tombstone for each known or
  // queued object that it lacks, then kReplaced for each of its objects; a resync is one kSync per
  // known object that is not queued. Null: a list is one kReplacedAll and a resync one kSyncAll,
  // which the consumer compares with its own store when it gets there.
  const KnownObjects* known_objects = nullptr;
};

class RealFIFO final : public DeltaQueue {
 public:
  explicit RealFIFO(RealFIFOOptions options = {}) : options_(options) {}

  void Push(DeltaType type, ObjectRef object, bool final_state_unknown) override;
  void Replace(std::vector<ObjectRef> objects, std::vector<ObjectName> unreadable,
               std::string resourceVersion) override;
  void Resync() override;
  // With known_objects a no-op: a list queued by object has no single version.
  void Bookmark(std::string_view resourceVersion) override;
  void Unreadable(ObjectName name, bool deleted) override;

  // A batch has no key twice, and does not mix initial and later entries. kReplacedAll, kSyncAll,
  // kBookmark and kUnreadable are the only entry of their batch.
  bool PopBatch(std::size_t max, DeltaBatch& out) override;
  void BatchDone() override;

  [[nodiscard]] bool HasSynced() const override { return populated_ && initial_count_ == 0; }
  // Returns the value of HasSynced once the current batch is done.
  [[nodiscard]] bool SyncedWhenDone() const { return populated_ && initial_count_ <= popped_; }
  [[nodiscard]] std::size_t Len() const { return items_.size(); }
  [[nodiscard]] std::size_t Bytes() const { return bytes_; }

 private:
  void PushExtra(DeltaType type, DeltaExtra extra, bool final_state_unknown = false);
  void Append(Delta delta);
  void ReplacePerObject(std::vector<ObjectRef> objects, std::vector<ObjectName> unreadable);
  void ResyncPerObject();

  const RealFIFOOptions options_;
  FifoBuffer<Delta> items_;
  std::size_t bytes_ = 0;
  bool populated_ = false;
  // Number of entries of the first Replace not processed yet.
  std::size_t initial_count_ = 0;
  // Number of entries of the current batch.
  std::size_t popped_ = 0;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELTAS_REAL_FIFO_H_
