#include "cache/real_fifo.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cache/key_table.h"

namespace kinformer::internal {
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

}  // namespace

void RealFIFO::Push(DeltaType type, ObjectRef object, bool final_state_unknown) {
  populated_ = true;
  Delta& delta = items_.emplace_back();
  delta.type = type;
  delta.final_state_unknown = final_state_unknown;
  delta.object = std::move(object);
  bytes_ += BytesOf(delta);
}

void RealFIFO::Replace(std::vector<ObjectRef> objects, std::vector<ObjectName> unreadable,
                       std::string resourceVersion) {
  if (options_.atomic_events) {
    Delta& delta = items_.emplace_back();
    delta.type = DeltaType::kReplacedAll;
    delta.extra = std::make_unique<DeltaExtra>();
    delta.extra->resourceVersion = std::move(resourceVersion);
    delta.extra->objects = std::move(objects);
    delta.extra->unreadable = std::move(unreadable);
    bytes_ += BytesOf(delta);
  } else {
    ReplacePerObject(std::move(objects));
  }
  if (!populated_) {
    populated_ = true;
    initial_count_ = items_.size();
  }
}

// Deletions come before replacements: first of what is queued, in the order queued, then of what is known.
void RealFIFO::ReplacePerObject(std::vector<ObjectRef> objects) {
  const bool was_populated = populated_;
  std::unordered_set<std::string> listed;
  for (const ObjectRef& object : objects) listed.insert(KeyOf(*object));

  std::unordered_map<std::string, const Delta*> newest;
  std::vector<std::string> order;
  for (const Delta& delta : items_) {
    if (!delta.object) continue;
    std::string key = KeyOf(*delta.object);
    if (listed.contains(key)) continue;
    const auto [it, fresh] = newest.insert_or_assign(key, &delta);
    if (fresh) order.push_back(std::move(key));
  }
  std::vector<ObjectRef> gone;
  for (const std::string& key : order) {
    const Delta& delta = *newest.at(key);
    if (delta.type != DeltaType::kDeleted) gone.push_back(delta.object);
  }
  if (options_.known_objects != nullptr) {
    options_.known_objects->ForEach([&](ObjectRef object) {
      const std::string key = KeyOf(*object);
      if (!listed.contains(key) && !newest.contains(key)) gone.push_back(std::move(object));
    });
  }
  for (ObjectRef& object : gone) Push(DeltaType::kDeleted, std::move(object), true);
  for (ObjectRef& object : objects) Push(DeltaType::kReplaced, std::move(object), false);
  populated_ = was_populated;
}

void RealFIFO::Resync(std::vector<std::weak_ptr<Listener>> listeners) {
  if (options_.atomic_events) {
    Delta& delta = items_.emplace_back();
    delta.type = DeltaType::kSyncAll;
    delta.extra = std::make_unique<DeltaExtra>();
    delta.extra->listeners = std::move(listeners);
    bytes_ += BytesOf(delta);
    return;
  }
  if (options_.known_objects == nullptr) return;
  std::unordered_set<std::string> queued;
  for (const Delta& delta : items_) {
    if (delta.object) queued.insert(KeyOf(*delta.object));
  }
  std::vector<ObjectRef> due;
  options_.known_objects->ForEach([&](ObjectRef object) {
    if (!queued.contains(KeyOf(*object))) due.push_back(std::move(object));
  });
  const bool was_populated = populated_;
  for (ObjectRef& object : due) Push(DeltaType::kSync, std::move(object), false);
  populated_ = was_populated;
}

void RealFIFO::Bookmark(std::string_view resourceVersion) {
  if (!options_.atomic_events) return;
  // A run of bookmarks says no more than its last.
  if (populated_ && !items_.empty() && items_.back().type == DeltaType::kBookmark) {
    items_.back().extra->resourceVersion = resourceVersion;
    return;
  }
  Delta& delta = items_.emplace_back();
  delta.type = DeltaType::kBookmark;
  delta.extra = std::make_unique<DeltaExtra>();
  delta.extra->resourceVersion = resourceVersion;
  bytes_ += BytesOf(delta);
}

void RealFIFO::Unreadable(ObjectName name, bool deleted) {
  Delta& delta = items_.emplace_back();
  delta.type = DeltaType::kUnreadable;
  delta.final_state_unknown = deleted;
  delta.extra = std::make_unique<DeltaExtra>();
  delta.extra->unreadable.push_back(std::move(name));
  bytes_ += BytesOf(delta);
}

bool RealFIFO::SeenInBatch(const Block& block) {
  const std::uint64_t hash = HashBytes(HashBytes(0, block.namespace_()), block.name());
  for (std::size_t i = hash % kSlots;; i = (i + 1) % kSlots) {
    if (seen_[i].stamp != stamp_) {
      seen_[i] = {hash, stamp_};
      return false;
    }
    // Another key of equal hash only makes this batch shorter.
    if (seen_[i].hash == hash) return true;
  }
}

bool RealFIFO::PopBatch(std::size_t max, DeltaBatch& out) {
  out.deltas.clear();
  if (items_.empty()) return false;
  out.is_in_initial_list = !HasSynced();
  if (max > kSlots / 2) max = kSlots / 2;
  if (initial_count_ > 0 && max > initial_count_) max = initial_count_;
  ++stamp_;
  while (!items_.empty() && out.deltas.size() < max) {
    Delta& head = items_.front();
    const bool batchable = IsBatchable(head.type);
    if (!out.deltas.empty() && !batchable) break;
    if (batchable && SeenInBatch(*head.object)) break;
    bytes_ -= BytesOf(head);
    out.deltas.push_back(std::move(head));
    items_.pop_front();
    if (!batchable) break;
  }
  popped_ = out.deltas.size();
  return true;
}

void RealFIFO::BatchDone() {
  initial_count_ -= popped_ < initial_count_ ? popped_ : initial_count_;
  popped_ = 0;
}

}  // namespace kinformer::internal
