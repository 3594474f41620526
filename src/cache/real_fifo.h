// cache/real_fifo.h
//
// RealFIFO: every delta in the order received, one entry each; a whole list is one entry. Counterpart: cache.RealFIFO.

#ifndef KINFORMER_CACHE_REAL_FIFO_H_
#define KINFORMER_CACHE_REAL_FIFO_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cache/delta_queue.h"

namespace kinformer::internal {

struct RealFIFOOptions {
  // A list is one kReplacedAll entry and a resync one kSyncAll, which the controller works out against the store. False: they
  // are spelled out per object, against `known_objects`, when they are queued.
  bool atomic_events = true;
  const KnownObjects* known_objects = nullptr;  // needed where not atomic
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
  void Resync(std::vector<std::weak_ptr<Listener>> listeners) override;
  void Bookmark(std::string_view resourceVersion) override;
  void Unreadable(ObjectName name, bool deleted) override;

  // A batch holds no key twice, and not both initial and later entries. kReplacedAll, kSyncAll, kBookmark and kUnreadable come
  // alone.
  bool PopBatch(std::size_t max, DeltaBatch& out) override;
  void BatchDone() override;

  [[nodiscard]] bool HasSynced() const override { return populated_ && initial_count_ == 0; }
  [[nodiscard]] std::size_t Len() const override { return items_.size(); }
  [[nodiscard]] std::size_t Bytes() const override { return bytes_; }
  [[nodiscard]] const std::deque<Delta>& items() const { return items_; }

 private:
  void Push(DeltaType type, ObjectRef object, bool final_state_unknown);
  void ReplacePerObject(std::vector<ObjectRef> objects);
  bool SeenInBatch(const Block& block);

  const RealFIFOOptions options_;
  std::deque<Delta> items_;
  std::size_t bytes_ = 0;
  bool populated_ = false;
  std::size_t initial_count_ = 0;  // entries of the first Replace that are not processed
  std::size_t popped_ = 0;         // entries of the batch under way

  // Hashes of the keys in the batch being formed. A slot counts only with the stamp of this batch.
  struct Slot {
    std::uint64_t hash = 0;
    std::uint64_t stamp = 0;
  };
  static constexpr std::size_t kSlots = 2048;
  std::vector<Slot> seen_ = std::vector<Slot>(kSlots);
  std::uint64_t stamp_ = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CACHE_REAL_FIFO_H_
