// controller/matching/value_type.h
//
// ValueType: what the schema says of a value in JSON, and equality of values by the rules of the
// API.

#ifndef KINFORMER_CONTROLLER_MATCHING_VALUE_TYPE_H_
#define KINFORMER_CONTROLLER_MATCHING_VALUE_TYPE_H_

#include <string_view>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"
#include "kinformer/object/kind_info.h"

namespace kinformer::internal::matching {

// The type of a value: a field's, or one item's or entry's of a field. Unknown in kinds without a
// schema. Cheap to copy.
class ValueType {
 public:
  ValueType() = default;
  // Creates the type of a whole object.
  explicit ValueType(const KindInfo& kind) : message_(kind.message) {}

  // Returns the type of an object's member, or a list's item.
  [[nodiscard]] ValueType Member(std::string_view name) const;
  [[nodiscard]] ValueType Item() const;

  [[nodiscard]] bool IsQuantity() const;
  // Returns the rule by which the list merges; null if there is none, or it is no list.
  [[nodiscard]] const MergeRule* RuleOfList() const;

 private:
  const MessageDescriptor* message_ = nullptr;  // of an object
  const FieldDescriptor* field_ = nullptr;
  bool element_ = false;
};

// Whether two texts are the same quantity to the server, which stores "1000m" as "1". "1Gi" and
// "1073741824" are one amount, but not one text: the server would store the other one.
[[nodiscard]] bool SameQuantity(std::string_view a, std::string_view b);

// Whether the server stores both values as the same: quantities as above, lists that are sets in
// any order, and all else literally.
[[nodiscard]] bool SameValue(const ValueType& type, const json::Value& a, const json::Value& b);

}  // namespace kinformer::internal::matching

#endif  // KINFORMER_CONTROLLER_MATCHING_VALUE_TYPE_H_
