// apiserver/registry/selection.h
//
// Selection: which objects of a resource a list, watch or deletecollection is about: its scope and
// its selectors.

#ifndef KINFORMER_APISERVER_REGISTRY_SELECTION_H_
#define KINFORMER_APISERVER_REGISTRY_SELECTION_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/label_selector.h"
#include "kinformer/result.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// Constant once made.
class Selection {
 public:
  // BadRequest for a selector that is malformed, or names a field that the resource does not offer
  // in that version.
  static Result<Selection> Make(const ResourceAt& at, std::string_view namespace_,
                                std::string_view label_selector, std::string_view field_selector);

  // Within the scope: does the object satisfy the selectors?
  [[nodiscard]] bool Matches(const StoredObject& stored) const;
  [[nodiscard]] bool InScope(const StoredObject& stored) const;
  // Are there selectors at all? A single name is part of the scope.
  [[nodiscard]] bool selective() const { return selective_; }
  // What all keys in scope start with: nothing, "namespace/", or one key.
  [[nodiscard]] const std::string& prefix() const { return prefix_; }
  [[nodiscard]] const std::string& namespace_prefix() const { return namespace_prefix_; }
  [[nodiscard]] bool single() const { return single_; }

 private:
  struct FieldTerm {
    enum class Kind : std::uint8_t { kName, kNamespace, kField } kind;
    std::size_t index;
    bool negated;
    std::string value;
  };

  LabelSelector labels_{};
  std::vector<FieldTerm> fields_{};
  std::string prefix_{};
  std::string namespace_prefix_{};
  bool single_ = false;
  bool selective_ = false;
};

// Do the labels of the object satisfy the selector?
bool MatchesLabels(const LabelSelector& selector, const StoredObject& stored);
// Do these, an object's metadata.labels?
bool MatchesLabels(const LabelSelector& selector, const json::Value& labels);

// A selector as objects hold it (metav1.LabelSelector, or a plain map of labels) as text: "a=b,c in
// (d,e)". A text stays as it is.
std::string SelectorText(const json::Value& selector);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_SELECTION_H_
