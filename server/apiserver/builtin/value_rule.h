// apiserver/builtin/value_rule.h
//
// ValueRule: a rule about the values of one member of a message, made from a row of the table
// (value_table.h).

#ifndef KINFORMER_APISERVER_BUILTIN_VALUE_RULE_H_
#define KINFORMER_APISERVER_BUILTIN_VALUE_RULE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"
#include "kinformer/object/quantity.h"

#include "apiserver/builtin/field_place.h"
#include "apiserver/builtin/value_table.h"
#include "cel/regular_expression.h"

namespace kinformer::apiserver {

// Immutable and thread-safe. Refers to `row` and to `message`, which live for ever.
class ValueRule {
 public:
  // `row` must name a member that `message` has, and a rule with a valid argument: the table is
  // part of the program, and a test makes all of its rules.
  ValueRule(const internal::MessageDescriptor& message, const ValueRow& row);

  [[nodiscard]] const internal::FieldDescriptor& field() const { return *field_; }

  // Appends a cause for each value of the member that breaks the rule. `value` is the member's, of
  // a message at `place`; absent members break no rule.
  void Check(const json::Value& value, const FieldPlace& place,
             std::vector<StatusCause>& causes) const;

 private:
  enum class Part : std::uint8_t { kValue, kItems, kValues, kKeys };
  enum class Kind : std::uint8_t {
    kEnum,
    kLeast,
    kMost,
    kLength,
    kMatch,
    kNever,
    kIp,
    kCidr,
    kUnique
  };

  [[nodiscard]] bool IsBroken(const json::Value& value) const;
  [[nodiscard]] bool IsBrokenByText(std::string_view text) const;
  void CheckUnique(const json::Value& items, const FieldPlace& place,
                   std::vector<StatusCause>& causes) const;
  // `index` takes the place of "*" or "key" in the row's field: an item's index, or a key.
  void Add(const json::Value& value, const FieldPlace& place, std::string_view index,
           std::vector<StatusCause>& causes) const;

  const internal::FieldDescriptor* field_ = nullptr;
  const ValueRow* row_;
  Part part_ = Part::kValue;
  Kind kind_ = Kind::kEnum;
  bool may_be_empty_ = false;               // an empty text breaks no rule
  std::vector<std::string_view> values_{};  // kEnum
  std::int64_t number_ = 0;                 // kLeast, kMost and kLength
  resource::Quantity quantity_{};           // kLeast and kMost, of quantities
  std::shared_ptr<const internal::cel::RegularExpression> pattern_{};  // kMatch and kNever
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_VALUE_RULE_H_
