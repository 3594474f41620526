// cache/store/store_part.h
//
// StorePart: which objects of a store one of its writers has.

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

// Stands for all namespaces that are not named beside it, where namespaces are keys. No namespace
// can have this name.
inline constexpr std::string_view kOtherNamespaces = "*";

// "namespace blue", or "all other namespaces": what messages call the key of a part.
[[nodiscard]] std::string DescribedPlace(std::string_view key);

// All objects, those of one namespace, or those of all namespaces but some. Parts of one store that
// have different keys never meet. A value.
class StorePart {
 public:
  using Names = std::set<std::string, std::less<>>;

  // All.
  StorePart() = default;
  // One namespace. Empty: all.
  explicit StorePart(std::string namespace_) : key_(std::move(namespace_)) {}
  // That one of several parts: a namespace, or kOtherNamespaces, which are those that are not in
  // `keys`.
  [[nodiscard]] static StorePart OneOf(const Names& keys, const std::string& key);

  [[nodiscard]] bool IsAll() const { return key_.empty(); }
  // What the store's maps know it by: the namespace, kOtherNamespaces, or empty.
  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] bool IsOneNamespace() const { return !key_.empty() && named_ == nullptr; }
  [[nodiscard]] bool Has(std::string_view namespace_) const {
    if (key_.empty()) return true;
    return named_ == nullptr ? key_ == namespace_ : !named_->contains(namespace_);
  }
  // The objects of the snapshot that are its own, which the snapshot keeps. Of one namespace they
  // are found by the index; else it is a walk over everything.
  [[nodiscard]] std::vector<const Block*> In(const SnapshotCore& snapshot) const;

 private:
  std::string key_;
  std::shared_ptr<const Names> named_;  // null: `key_` says it all
};

}  // namespace cache

}  // namespace kinformer::internal

#endif  // KINFORMER_CACHE_STORE_STORE_PART_H_
