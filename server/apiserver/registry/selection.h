// apiserver/registry/selection.h
//
// Selection: the objects that a list, watch or deletecollection request selects, by its scope, its
// label selector, its field selector and its shard selector.

#ifndef KINFORMER_APISERVER_REGISTRY_SELECTION_H_
#define KINFORMER_APISERVER_REGISTRY_SELECTION_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/object/label_selector.h"
#include "kinformer/object/shard_selector.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// Immutable.
class Selection {
 public:
  // Returns BadRequest for a malformed selector, and for a field that the resource does not offer
  // in that version; InternalError for a malformed shard selector, as kube-apiserver does.
  static Result<Selection> Make(const ResourceAt& at, std::string_view namespace_,
                                std::string_view label_selector, std::string_view field_selector,
                                std::string_view shard_selector = {});

  // Returns whether an object in scope satisfies the selectors.
  [[nodiscard]] bool Matches(const StoredObject& stored) const;
  [[nodiscard]] bool InScope(const StoredObject& stored) const;
  // Returns whether there are selectors. metadata.name alone is part of the scope.
  [[nodiscard]] bool selective() const { return selective_; }
  // Common prefix of all keys in scope: empty, "namespace/", or one key.
  [[nodiscard]] const std::string& prefix() const { return prefix_; }
  [[nodiscard]] const std::string& namespace_prefix() const { return namespace_prefix_; }
  [[nodiscard]] bool single() const { return single_; }
  [[nodiscard]] const ShardSelector& shards() const { return shards_; }

 private:
  struct FieldTerm {
    enum class Kind : std::uint8_t { kName, kNamespace, kField } kind;
    std::size_t index;
    bool negated;
    std::string value;
  };

  LabelSelector labels_{};
  ShardSelector shards_{};
  std::vector<FieldTerm> fields_{};
  std::string prefix_{};
  std::string namespace_prefix_{};
  bool single_ = false;
  bool selective_ = false;
};

// Returns whether the object's labels satisfy the selector.
bool MatchesLabels(const LabelSelector& selector, const StoredObject& stored);
// The same, for the metadata.labels of an object.
bool MatchesLabels(const LabelSelector& selector, const json::Value& labels);

// Returns the text of a selector in an object (metav1.LabelSelector, or a map of labels): "a=b,c in
// (d,e)". A string is returned unchanged.
std::string SelectorText(const json::Value& selector);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_SELECTION_H_
