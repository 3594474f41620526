// cache/deltas/real_fifo.h
//
// RealFIFO: every delta in the order received, one entry each. Counterpart: cache.RealFIFO.

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
  // What the consumer knows. With it a list is spelled out when it is queued: a tombstone for each
  // object that is known or queued and not in the list, then kReplaced for each that is; a resync
  // is kSync for each object that is known and not queued. Null: a list is one kReplacedAll and a
  // resync one kSyncAll, which the consumer works out against what it knows by then.
  const KnownObjects* known_objects = nullptr;
};

class RealFIFO final : public DeltaQueue {
 public:
  explicit RealFIFO(RealFIFOOptions options = {}) : options_(options) {}

  void Add(ObjectRef object) override { Push(DeltaType::kAdded, std::move(object), false); }
  void Update(ObjectRef object) override { Push(DeltaType::kUpdated, std::move(object), false); }
  void Delete(ObjectRef object, bool final_state_unknown) override {
    Push(DeltaType::kDeleted, std::move(object), final_state_unknown);
  }
  void Replace(std::vector<ObjectRef> objects, std::vector<ObjectName> unreadable,
               std::string resourceVersion) override;
  void Resync() override;
  // With known_objects, a no-op: what is spelled out has no one version.
  void Bookmark(std::string_view resourceVersion) override;
  void Unreadable(ObjectName name, bool deleted) override;

  // A batch holds no key twice, and not both initial and later entries. kReplacedAll, kSyncAll,
  // kBookmark and kUnreadable come alone.
  bool PopBatch(std::size_t max, DeltaBatch& out) override;
  void BatchDone() override;

  [[nodiscard]] bool HasSynced() const override { return populated_ && initial_count_ == 0; }
  [[nodiscard]] std::size_t Len() const override { return items_.size(); }
  [[nodiscard]] std::size_t Bytes() const override { return bytes_; }

 private:
  void Push(DeltaType type, ObjectRef object, bool final_state_unknown);
  void PushExtra(DeltaType type, DeltaExtra extra, bool final_state_unknown = false);
  void Append(Delta delta);
  void ReplacePerObject(std::vector<ObjectRef> objects, std::vector<ObjectName> unreadable);
  void ResyncPerObject();

  const RealFIFOOptions options_;
  FifoBuffer<Delta> items_;
  std::size_t bytes_ = 0;
  bool populated_ = false;
  // Entries of the first Replace that are not processed.
  std::size_t initial_count_ = 0;
  // Entries of the batch under way.
  std::size_t popped_ = 0;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELTAS_REAL_FIFO_H_
