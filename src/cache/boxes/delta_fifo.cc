#include "cache/boxes/delta_fifo.h"

#include <unordered_set>
#include <utility>

#include "kinformer/internal/indexer_core.h"

namespace kinformer::internal::cache {

const std::vector<Delta>* DeltaFIFO::Deltas(const std::string& key) const {
  const auto it = items_.find(key);
  return it == items_.end() ? nullptr : &it->second;
}

bool DeltaFIFO::Knows(const std::string& key, const Block& object) const {
  return items_.contains(key) || (options_.known_objects != nullptr &&
                                  options_.known_objects->Get(object.namespace_(), object.name()));
}

void DeltaFIFO::Push(DeltaType type, ObjectRef object, bool final_state_unknown) {
  populated_ = true;
  const std::string key = KeyOfBlock(*object);
  if (type == DeltaType::kDeleted && !Knows(key, *object)) return;
  Queue(key, type, std::move(object), final_state_unknown);
}

void DeltaFIFO::Queue(const std::string& key, DeltaType type, ObjectRef object,
                      bool final_state_unknown) {
  const auto [it, fresh] = items_.try_emplace(key);
  if (fresh) queue_.push_back(key);
  std::vector<Delta>& deltas = it->second;
  // Keeps one of two consecutive deletions, preferably the one that knows the final state.
  if (type == DeltaType::kDeleted && !deltas.empty() && deltas.back().type == DeltaType::kDeleted) {
    Delta& last = deltas.back();
    if (last.final_state_unknown) {
      last.object = std::move(object);
      last.final_state_unknown = final_state_unknown;
    }
    return;
  }
  Delta& delta = deltas.emplace_back();
  delta.type = type;
  delta.final_state_unknown = final_state_unknown;
  delta.object = std::move(object);
}

void DeltaFIFO::Replace(std::vector<ObjectRef> objects, std::vector<ObjectName> unreadable,
                        std::string /*resourceVersion*/) {
  std::unordered_set<std::string> listed;
  for (ObjectRef& object : objects) {
    std::string key = KeyOfBlock(*object);
    Queue(key, options_.replaced_type, std::move(object), false);
    listed.insert(std::move(key));
  }
  const std::size_t distinct = listed.size();
  for (const ObjectName& name : unreadable) listed.insert(name.ToString());

  std::size_t deletions = 0;
  for (const auto& [key, deltas] : items_) {
    if (listed.contains(key)) continue;
    ObjectRef newest = deltas.back().object;
    ++deletions;
    Queue(key, DeltaType::kDeleted, std::move(newest), true);
  }
  if (options_.known_objects != nullptr) {
    std::vector<ObjectRef> gone;
    options_.known_objects->ForEach([&](ObjectRef object) {
      const std::string key = KeyOfBlock(*object);
      if (!listed.contains(key) && !items_.contains(key)) gone.push_back(std::move(object));
    });
    deletions += gone.size();
    for (ObjectRef& object : gone) {
      const std::string key = KeyOfBlock(*object);
      Queue(key, DeltaType::kDeleted, std::move(object), true);
    }
  }
  if (!populated_) {
    populated_ = true;
    initial_count_ = distinct + deletions;
  }
  // Waiting deltas of unreadable objects are older than the list.
  unreadable_.clear();
  for (ObjectName& name : unreadable) Unreadable(std::move(name), false);
}

void DeltaFIFO::Resync() {
  if (options_.known_objects == nullptr) return;
  std::vector<ObjectRef> due;
  options_.known_objects->ForEach([&](ObjectRef object) {
    if (!items_.contains(KeyOfBlock(*object))) due.push_back(std::move(object));
  });
  for (ObjectRef& object : due) {
    const std::string key = KeyOfBlock(*object);
    Queue(key, DeltaType::kSync, std::move(object), false);
  }
}

void DeltaFIFO::Unreadable(ObjectName name, bool deleted) {
  Delta& delta = unreadable_.push_back({DeltaType::kUnreadable, deleted, {}, nullptr});
  delta.extra = std::make_unique<DeltaExtra>();
  delta.extra->unreadable.push_back(std::move(name));
}

std::vector<Delta> DeltaFIFO::PopKey() {
  const auto it = items_.find(queue_.front());
  queue_.pop_front();
  std::vector<Delta> deltas = std::move(it->second);
  items_.erase(it);
  // Replaces the map, as its buckets would keep their memory.
  if (items_.empty()) items_ = decltype(items_)();
  return deltas;
}

bool DeltaFIFO::PopBatch(std::size_t, DeltaBatch& out) {
  out.deltas.clear();
  out.is_in_initial_list = !HasSynced();
  popped_key_ = false;
  if (!unreadable_.empty()) {
    out.deltas.push_back(std::move(unreadable_.front()));
    unreadable_.pop_front();
    return true;
  }
  if (queue_.empty()) return false;
  out.deltas = PopKey();
  popped_key_ = true;
  return true;
}

void DeltaFIFO::BatchDone() {
  if (popped_key_ && initial_count_ > 0) --initial_count_;
  popped_key_ = false;
}

}  // namespace kinformer::internal::cache
