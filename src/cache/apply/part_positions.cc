#include "cache/apply/part_positions.h"

#include <utility>

#include "cache/store/resource_version.h"
#include "cache/store/store_part.h"

namespace kinformer::internal::cache {

// ---- one part

void PartPosition::SetResourceVersion(std::string_view resource_version) {
  next_.resource_version = resource_version;
  changed_ = true;
}

void PartPosition::AdvanceResourceVersion(std::string_view resource_version) {
  if (MayFollow(resource_version, next_.resource_version)) SetResourceVersion(resource_version);
}

void PartPosition::SetEpoch(std::uint64_t epoch) {
  changed_ = changed_ || next_.epoch != epoch;
  next_.epoch = epoch;
}

// ---- all of them

void PartPositions::SetParts(const std::set<std::string, std::less<>>& keys) {
  const base::MutexLock lock(mutex_);
  std::erase_if(parts_, [&](const auto& part) {
    part.second->counts_ = keys.contains(part.first);
    return !part.second->counts_;
  });
  for (const std::string& key : keys) {
    std::shared_ptr<PartPosition>& position = parts_[key];
    if (position != nullptr) continue;
    position = std::make_shared<PartPosition>();
    position->counts_ = true;
    position->named_ = !key.empty();
  }
  // The part with the oldest version may be gone.
  combined_.resource_version.clear();
}

std::shared_ptr<PartPosition> PartPositions::Of(std::string_view key) {
  const auto found = parts_.find(key);
  if (found == parts_.end()) return std::make_shared<PartPosition>();
  PartPosition& position = *found->second;
  position.next_ = position.committed_;
  position.changed_ = false;
  return found->second;
}

void PartPositions::BeforeCommit(const PartPosition& position) {
  if (!position.changed_ || !position.counts_) return;
  const bool was_oldest = position.committed_.resource_version == combined_.resource_version;
  if (was_oldest || combined_.resource_version.empty()) Combine();
}

void PartPositions::Combine() {
  const StorePosition* oldest = nullptr;
  for (const auto& [key, part] : parts_) {
    const StorePosition& next = part->next_;
    if (next.resource_version.empty()) return;
    if (oldest == nullptr || next.epoch < oldest->epoch ||
        (next.epoch == oldest->epoch &&
         IsOlderResourceVersion(next.resource_version, oldest->resource_version))) {
      oldest = &next;
    }
  }
  if (oldest == nullptr) return;
  const bool advances = parts_.size() > 1 && oldest->epoch == combined_.epoch;
  if (advances) {
    store_.AdvanceResourceVersion(oldest->resource_version);
  } else {
    store_.SetResourceVersion(oldest->resource_version);
    store_.SetEpoch(oldest->epoch);
  }
  combined_ = *oldest;
}

void PartPositions::AfterCommit(PartPosition& position) {
  if (!std::exchange(position.changed_, false)) return;
  if (!position.named_) {
    position.committed_ = position.next_;
    return;
  }
  const base::MutexLock lock(mutex_);
  position.committed_ = position.next_;
}

std::optional<StorePosition> PartPositions::Read(std::string_view namespace_) const {
  if (namespace_.empty()) return std::nullopt;
  const base::MutexLock lock(mutex_);
  auto found = parts_.find(namespace_);
  if (found == parts_.end()) found = parts_.find(kOtherNamespaces);
  if (found == parts_.end()) return std::nullopt;
  return found->second->committed_;
}

}  // namespace kinformer::internal::cache
