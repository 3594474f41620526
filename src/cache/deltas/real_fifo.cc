#include "cache/deltas/real_fifo.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "kinformer/internal/indexer_core.h"

#include "base/text/hash_bytes.h"

namespace kinformer::internal::cache {
namespace {

bool IsBatchable(DeltaType type) {
  return type == DeltaType::kAdded || type == DeltaType::kUpdated || type == DeltaType::kDeleted ||
         type == DeltaType::kReplaced || type == DeltaType::kSync;
}

std::size_t BytesOf(const Delta& delta) {
  std::size_t bytes = sizeof(Delta);
  if (delta.object) bytes += delta.object->allocated_bytes();
  if (delta.extra != nullptr) {
    bytes += delta.extra->objects.size() * sizeof(ObjectRef);
  }
  return bytes;
}

// The hashes of the keys in a batch that is being formed: an open hash table, no larger than the
// batch needs, since most batches have one entry.
class KeysInBatch {
 public:
  explicit KeysInBatch(std::size_t most)
      : slots_(most < 2 ? 0 : std::bit_ceil(2 * most)), mask_(slots_.size() - 1) {}

  // Returns false if the key, or another with its hash, is present: the batch just ends earlier.
  bool Insert(const Block& block) {
    if (slots_.empty()) return true;
    // 0 marks a free slot.
    const std::uint64_t hash =
        base::HashBytes(base::HashBytes(0, block.namespace_()), block.name()) | 1U;
    for (std::size_t i = (hash >> 1) & mask_;; i = (i + 1) & mask_) {
      if (slots_[i] == hash) return false;
      if (slots_[i] != 0) continue;
      slots_[i] = hash;
      return true;
    }
  }

 private:
  std::vector<std::uint64_t> slots_;
  std::size_t mask_;
};

}  // namespace

void RealFIFO::Append(Delta delta) {
  bytes_ += BytesOf(delta);
  items_.push_back(std::move(delta));
}

void RealFIFO::Push(DeltaType type, ObjectRef object, bool final_state_unknown) {
  populated_ = true;
  Append({type, final_state_unknown, std::move(object), nullptr});
}

void RealFIFO::PushExtra(DeltaType type, DeltaExtra extra, bool final_state_unknown) {
  Append({type, final_state_unknown, {}, std::make_unique<DeltaExtra>(std::move(extra))});
}

void RealFIFO::Replace(std::vector<ObjectRef> objects, std::vector<ObjectName> unreadable,
                       std::string resourceVersion) {
  const bool first = !populated_;
  if (options_.known_objects == nullptr) {
    PushExtra(DeltaType::kReplacedAll,
              {std::move(resourceVersion), std::move(objects), std::move(unreadable)});
  } else {
    ReplacePerObject(std::move(objects), std::move(unreadable));
  }
  populated_ = true;
  if (first) initial_count_ = items_.size();
}

// Queues deletions before replacements: first of queued objects in their order, then of known
// objects.
void RealFIFO::ReplacePerObject(std::vector<ObjectRef> objects,
                                std::vector<ObjectName> unreadable) {
  std::unordered_set<std::string> listed;
  for (const ObjectRef& object : objects) listed.insert(KeyOfBlock(*object));
  for (const ObjectName& name : unreadable) listed.insert(name.ToString());

  std::unordered_map<std::string, const Delta*> newest;
  std::vector<std::string> order;
  for (const Delta& delta : items_) {
    if (!delta.object) continue;
    std::string key = KeyOfBlock(*delta.object);
    if (listed.contains(key)) continue;
    const auto [it, fresh] = newest.insert_or_assign(key, &delta);
    if (fresh) order.push_back(std::move(key));
  }
  std::vector<ObjectRef> gone;
  for (const std::string& key : order) {
    const Delta& delta = *newest.at(key);
    if (delta.type != DeltaType::kDeleted) gone.push_back(delta.object);
  }
  options_.known_objects->ForEach([&](ObjectRef object) {
    const std::string key = KeyOfBlock(*object);
    if (!listed.contains(key) && !newest.contains(key)) gone.push_back(std::move(object));
  });
  for (ObjectRef& object : gone) Push(DeltaType::kDeleted, std::move(object), true);
  for (ObjectRef& object : objects) Push(DeltaType::kReplaced, std::move(object), false);
  for (ObjectName& name : unreadable) Unreadable(std::move(name), false);
}

void RealFIFO::Resync() {
  if (options_.known_objects == nullptr) {
    PushExtra(DeltaType::kSyncAll, {});
  } else {
    ResyncPerObject();
  }
}

void RealFIFO::ResyncPerObject() {
  std::unordered_set<std::string> queued;
  for (const Delta& delta : items_) {
    if (delta.object) queued.insert(KeyOfBlock(*delta.object));
  }
  std::vector<ObjectRef> due;
  options_.known_objects->ForEach([&](ObjectRef object) {
    if (!queued.contains(KeyOfBlock(*object))) due.push_back(std::move(object));
  });
  for (ObjectRef& object : due) Append({DeltaType::kSync, false, std::move(object), nullptr});
}

void RealFIFO::Bookmark(std::string_view resourceVersion) {
  if (options_.known_objects != nullptr) return;
  // The last of consecutive bookmarks is enough.
  if (populated_ && !items_.empty() && items_.back().type == DeltaType::kBookmark) {
    items_.back().extra->resourceVersion = resourceVersion;
    return;
  }
  PushExtra(DeltaType::kBookmark, {.resourceVersion = std::string(resourceVersion)});
}

void RealFIFO::Unreadable(ObjectName name, bool deleted) {
  DeltaExtra extra;
  extra.unreadable.push_back(std::move(name));
  PushExtra(DeltaType::kUnreadable, std::move(extra), deleted);
}

bool RealFIFO::PopBatch(std::size_t max, DeltaBatch& out) {
  out.deltas.clear();
  if (items_.empty()) return false;
  out.is_in_initial_list = !HasSynced();
  if (initial_count_ > 0) max = std::min(max, initial_count_);
  max = std::min(max, items_.size());
  KeysInBatch keys(max);
  out.deltas.reserve(max);
  while (!items_.empty() && out.deltas.size() < max) {
    Delta& head = items_.front();
    const bool batchable = IsBatchable(head.type);
    if (!out.deltas.empty() && !batchable) break;
    if (batchable && !keys.Insert(*head.object)) break;
    bytes_ -= BytesOf(head);
    out.deltas.push_back(std::move(head));
    items_.pop_front();
    if (!batchable) break;
  }
  popped_ = out.deltas.size();
  return true;
}

void RealFIFO::BatchDone() {
  initial_count_ -= std::min(popped_, initial_count_);
  popped_ = 0;
}

}  // namespace kinformer::internal::cache
