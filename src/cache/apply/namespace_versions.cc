#include "cache/apply/namespace_versions.h"

#include <utility>

#include "cache/store/resource_version.h"
#include "cache/store/store_part.h"

namespace kinformer::internal::cache {

void NamespaceVersions::SetNamespaces(const std::set<std::string, std::less<>>& namespaces) {
  const base::MutexLock lock(mutex_);
  std::erase_if(slots_, [&](const auto& slot) { return !namespaces.contains(slot.first); });
  for (const std::string& name : namespaces) slots_.try_emplace(name);
  // The namespace with the oldest version may be gone.
  combined_.resource_version.clear();
}

void NamespaceVersions::Set(std::string_view namespace_, const StorePosition& position) {
  const auto slot = slots_.find(namespace_);
  if (slot == slots_.end()) return;
  const bool was_oldest = slot->second.next.resource_version == combined_.resource_version;
  {
    const base::MutexLock lock(mutex_);
    slot->second.next = position;
  }
  if (was_oldest || combined_.resource_version.empty()) Combine();
}

void NamespaceVersions::Combine() {
  const StorePosition* oldest = nullptr;
  for (const auto& [name, slot] : slots_) {
    const StorePosition& next = slot.next;
    if (next.resource_version.empty()) return;
    if (oldest == nullptr || next.epoch < oldest->epoch ||
        (next.epoch == oldest->epoch &&
         IsOlderResourceVersion(next.resource_version, oldest->resource_version))) {
      oldest = &next;
    }
  }
  if (oldest == nullptr) return;
  if (oldest->epoch == combined_.epoch) {
    store_.AdvanceResourceVersion(oldest->resource_version);
  } else {
    store_.SetResourceVersion(oldest->resource_version);
    store_.SetEpoch(oldest->epoch);
  }
  combined_ = *oldest;
}

void NamespaceVersions::Publish(std::string_view namespace_) {
  const base::MutexLock lock(mutex_);
  const auto slot = slots_.find(namespace_);
  if (slot != slots_.end()) slot->second.published = slot->second.next;
}

std::optional<StorePosition> NamespaceVersions::Of(std::string_view namespace_) const {
  const base::MutexLock lock(mutex_);
  auto slot = slots_.find(namespace_);
  if (slot == slots_.end() && !namespace_.empty()) slot = slots_.find(kOtherNamespaces);
  if (slot == slots_.end()) return std::nullopt;
  return slot->second.published;
}

PositionWriter::PositionWriter(StoreCore& store, NamespaceVersions* together,
                               std::string_view namespace_)
    : store_(store), together_(together), slot_(namespace_) {
  if (together_ == nullptr) return;
  // Continues at the position of an earlier life.
  if (std::optional<StorePosition> left = together_->Of(slot_)) position_ = *std::move(left);
}

void PositionWriter::SetResourceVersion(std::string_view resource_version) {
  if (together_ == nullptr) return store_.SetResourceVersion(resource_version);
  position_.resource_version = resource_version;
  changed_ = true;
}

void PositionWriter::AdvanceResourceVersion(std::string_view resource_version) {
  if (together_ == nullptr) return store_.AdvanceResourceVersion(resource_version);
  if (!MayFollow(resource_version, position_.resource_version)) return;
  position_.resource_version = resource_version;
  changed_ = true;
}

void PositionWriter::SetEpoch(std::uint64_t epoch) {
  if (together_ == nullptr) return store_.SetEpoch(epoch);
  changed_ = changed_ || position_.epoch != epoch;
  position_.epoch = epoch;
}

void PositionWriter::BeforeCommit() {
  if (!std::exchange(changed_, false)) return;
  together_->Set(slot_, position_);
  publishes_ = true;
}

void PositionWriter::AfterCommit() {
  if (std::exchange(publishes_, false)) together_->Publish(slot_);
}

std::string PositionWriter::ResourceVersion() const {
  return together_ == nullptr ? store_.ResourceVersion() : position_.resource_version;
}

}  // namespace kinformer::internal::cache
