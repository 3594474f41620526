#include "cache/store/store_part.h"

#include "kinformer/internal/snapshot_core.h"

namespace kinformer::internal::cache {

std::string DescribedPlace(std::string_view key) {
  return key == kOtherNamespaces ? "all other namespaces" : "namespace " + std::string(key);
}

StorePart StorePart::OneOf(const Names& keys, const std::string& key) {
  StorePart part(key);
  if (key == kOtherNamespaces) {
    Names named = keys;
    named.erase(key);
    part.named_ = std::make_shared<const Names>(std::move(named));
  }
  return part;
}

std::vector<const Block*> StorePart::In(const SnapshotCore& snapshot) const {
  if (IsOneNamespace()) return snapshot.ByIndex("namespace", key_).value_or({});
  std::vector<const Block*> found;
  SnapshotCore::Cursor cursor;
  while (const Block* block = snapshot.Next(cursor)) {
    if (Has(block->namespace_())) found.push_back(block);
  }
  return found;
}

}  // namespace kinformer::internal::cache
