// cache/store/store_part.h
//
// StorePart: the objects of a store that belong to one of its writers.

#ifndef KINFORMER_CACHE_STORE_STORE_PART_H_
#define KINFORMER_CACHE_STORE_STORE_PART_H_

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/block.h"

namespace kinformer::internal {

class SnapshotCore;

namespace cache {

// Key that stands for all namespaces without a key of their own, in maps by namespace. No namespace
// can have this name.
inline constexpr std::string_view kOtherNamespaces = "*";

// Describes the key of a part for messages: "namespace blue", or "all other namespaces".
[[nodiscard]] std::string DescribedPlace(std::string_view key);

// All objects, those of one namespace, or those of all namespaces except some. Parts of one store
// with different keys are disjoint. A value type.
class StorePart {
 public:
  using Names = std::set<std::string, std::less<>>;

  // All objects.
  StorePart() = default;
  // Objects of one namespace. Empty: all.
  explicit StorePart(std::string namespace_) : key_(std::move(namespace_)) {}
  // Returns the part with `key`, one of `keys`: a namespace, or kOtherNamespaces for all namespaces
  // not in `keys`.
  [[nodiscard]] static StorePart OneOf(const Names& keys, const std::string& key);

  [[nodiscard]] bool IsAll() const { return key_.empty(); }
  // Key of the part in the store's maps: the namespace, kOtherNamespaces, or empty for all.
  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] bool IsOneNamespace() const { return !key_.empty() && named_ == nullptr; }
  [[nodiscard]] bool Has(std::string_view namespace_) const {
    if (key_.empty()) return true;
    return named_ == nullptr ? key_ == namespace_ : !named_->contains(namespace_);
  }
  // Returns the snapshot's objects that belong to this part; they live as long as the snapshot.
  // Uses the index for a single namespace, else walks over all objects.
  [[nodiscard]] std::vector<const Block*> In(const SnapshotCore& snapshot) const;

 private:
  std::string key_;
  std::shared_ptr<const Names> named_;  // null: `key_` alone describes the part
};

}  // namespace cache

}  // namespace kinformer::internal

#endif  // KINFORMER_CACHE_STORE_STORE_PART_H_
