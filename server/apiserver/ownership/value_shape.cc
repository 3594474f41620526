#include "apiserver/ownership/value_shape.h"

#include <set>
#include <utility>

#include "kinformer/internal/registry.h"

#include "apiserver/request/atomic_fields.h"
#include "apiserver/request/list_rule.h"

namespace kinformer::apiserver {
namespace {

using internal::FieldDescriptor;
using internal::FieldKind;
using internal::MessageDescriptor;

const MessageDescriptor* MessageOf(const FieldDescriptor* field) {
  const bool known = field != nullptr && field->kind == FieldKind::kMessage && !field->map;
  return known ? field->message : nullptr;
}

const MessageDescriptor* ObjectMetadata() {
  const KindInfo* const pod = internal::FindType("", "v1", "Pod");
  if (pod == nullptr) return nullptr;
  return MessageOf(internal::FindJsonMember(*pod->message, "metadata"));
}

}  // namespace

ValueShape ValueShape::Of(const ServedVersion& version) {
  ValueShape out;
  out.message_ = version.message;
  if (version.message == nullptr && version.schema != nullptr) {
    out.schema_ = &version.schema->root();
    out.whole_custom_ = true;
  }
  return out;
}

ValueShape ValueShape::Member(std::string_view name) const {
  ValueShape out;
  if (whole_custom_ && name == "metadata") {
    out.message_ = ObjectMetadata();
    out.named_ = out.always_there_ = true;
    return out;
  }
  if (schema_ != nullptr) {
    out.named_ = schema_->FindProperty(name) != nullptr;
    out.schema_ = schema_->FindMember(name);
    return out;
  }
  if (message_ == nullptr) return out;
  const FieldDescriptor* const field = internal::FindJsonMember(*message_, name);
  if (field == nullptr) return out;
  out.named_ = true;
  out.field_ = field;
  out.message_ = field->repeated ? nullptr : MessageOf(field);
  out.always_there_ = (out.message_ != nullptr && !field->pointer) || !field->omitempty;
  out.atomic_ = IsAtomicMap(*message_, *field);
  return out;
}

ValueShape ValueShape::Item() const {
  ValueShape out;
  if (schema_ != nullptr) out.schema_ = schema_->items.get();
  if (field_ != nullptr) out.message_ = MessageOf(field_);
  return out;
}

bool ValueShape::IsAtomicObject() const {
  if (atomic_) return true;
  if (schema_ != nullptr) return schema_->atomic_map;
  if (message_ == nullptr) return false;
  return IsAtomicMessage(*message_, field_);
}

std::optional<std::vector<std::string>> ValueShape::NamesOf(const json::Array& items) const {
  std::vector<std::string_view> keys;
  if (schema_ != nullptr) {
    if (schema_->list_type == ListType::kAtomic) return std::nullopt;
    if (schema_->list_type == ListType::kMap) {
      keys.assign(schema_->map_keys.begin(), schema_->map_keys.end());
    }
  } else {
    ListRule rule = RuleOf(field_);
    if (!rule.merges) return std::nullopt;
    keys = std::move(rule.key.members);
  }
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  names.reserve(items.size());
  for (const json::Value& item : items) {
    if (keys.empty()) {
      names.push_back("v:" + item.Dump({.sort_keys = true}));
    } else {
      json::Value key = json::Value::MakeObject();
      for (const std::string_view member : keys) {
        const SchemaNode* const node = schema_ == nullptr || schema_->items == nullptr
                                           ? nullptr
                                           : schema_->items->FindMember(member);
        if (const json::Value& part = item[member]; !part.is_null()) {
          key.Set(member, part);
        } else if (node != nullptr && node->default_value) {
          key.Set(member, *node->default_value);
        } else if (schema_ == nullptr && member == "protocol") {
          key.Set(member, "TCP");
        }
      }
      names.push_back("k:" + key.Dump({.sort_keys = true}));
    }
  }
  for (const std::string& name : names) {
    if (!seen.insert(name).second) return std::nullopt;
  }
  return names;
}

}  // namespace kinformer::apiserver
