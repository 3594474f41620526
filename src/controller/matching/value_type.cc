#include "controller/matching/value_type.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "kinformer/object/quantity.h"

namespace kinformer::internal::matching {
namespace {

std::string QuantityText(const json::Value& value) {
  return value.is_number() ? value.NumberText() : value.StringOrEmpty();
}

bool SameItems(const ValueType& type, const json::Array& a, const json::Array& b) {
  if (a.size() != b.size()) return false;
  const MergeRule* const rule = type.RuleOfList();
  if (rule != nullptr && rule->list_type == ListType::kSet) {
    return std::is_permutation(a.begin(), a.end(), b.begin());
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!SameValue(type.Item(), a[i], b[i])) return false;
  }
  return true;
}

bool SameMembers(const ValueType& type, const json::Object& a, const json::Object& b) {
  if (a.size() != b.size()) return false;
  return std::all_of(a.begin(), a.end(), [&](const auto& member) {
    const json::Value* const other = b.Find(member.first);
    return other != nullptr && SameValue(type.Member(member.first), member.second, *other);
  });
}

}  // namespace

ValueType ValueType::Member(std::string_view name) const {
  ValueType member;
  if (field_ != nullptr && field_->map && !element_) {
    member = *this;
    member.element_ = true;
    member.message_ = field_->message;
    return member;
  }
  if (message_ == nullptr || message_->union_kind != UnionKind::kNone) return member;
  member.field_ = FindJsonMember(*message_, name);
  if (member.field_ == nullptr) return member;
  const bool one = !member.field_->map && !member.field_->repeated;
  if (one && member.field_->kind == FieldKind::kMessage) member.message_ = member.field_->message;
  return member;
}

ValueType ValueType::Item() const {
  ValueType item;
  if (field_ == nullptr || !field_->repeated || element_) return item;
  item.field_ = field_;
  item.element_ = true;
  if (field_->kind == FieldKind::kMessage) item.message_ = field_->message;
  return item;
}

bool ValueType::IsQuantity() const {
  return field_ != nullptr && field_->kind == FieldKind::kQuantity &&
         (element_ || (!field_->map && !field_->repeated));
}

const MergeRule* ValueType::RuleOfList() const {
  return field_ != nullptr && field_->repeated && !element_ ? field_->merge_rule : nullptr;
}

bool SameQuantity(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const Result<resource::Quantity> first = resource::Quantity::Parse(a);
  const Result<resource::Quantity> second = resource::Quantity::Parse(b);
  return first.ok() && second.ok() && first->ToString() == second->ToString();
}

bool SameValue(const ValueType& type, const json::Value& a, const json::Value& b) {
  if (a == b) return true;
  if (type.IsQuantity()) return SameQuantity(QuantityText(a), QuantityText(b));
  if (const json::Array* const items = a.IfArray()) {
    return b.is_array() && SameItems(type, *items, b.items());
  }
  if (const json::Object* const members = a.IfObject()) {
    return b.is_object() && SameMembers(type, *members, b.members());
  }
  return false;
}

}  // namespace kinformer::internal::matching
