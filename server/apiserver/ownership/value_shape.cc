#include "apiserver/ownership/value_shape.h"

#include <algorithm>
#include <utility>

#include "kinformer/internal/registry.h"

#include "apiserver/errors/status.h"
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

// 1 and 1.0 are equal numbers.
void AppendPart(const json::Value& part, std::string& out) {
  if (part.is_number() && part.AsInt64()) {
    out += std::to_string(*part.AsInt64());
  } else {
    part.AppendTo(out, {.sort_keys = true});
  }
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

bool ValueShape::MergesItems() const {
  return schema_ != nullptr ? schema_->list_type != ListType::kAtomic : RuleOf(field_).merges;
}

std::vector<std::string_view> ValueShape::Keys() const {
  std::vector<std::string_view> keys;
  if (schema_ == nullptr) {
    keys = RuleOf(field_).key.members;
  } else if (schema_->list_type == ListType::kMap) {
    keys.assign(schema_->map_keys.begin(), schema_->map_keys.end());
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::optional<std::vector<std::string>> ValueShape::NamesOf(const json::Array& items) const {
  if (!MergesItems()) return std::nullopt;
  const std::vector<std::string_view> keys = Keys();
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const json::Value& item : items) AppendName(keys, item, names.emplace_back());
  return names;
}

void ValueShape::AppendName(const std::vector<std::string_view>& keys, const json::Value& item,
                            std::string& out) const {
  if (keys.empty()) {
    out += "v:";
    AppendPart(item, out);
  } else {
    out += "k:";
    AppendKey(keys, item, out);
  }
}

void ValueShape::AppendKey(const std::vector<std::string_view>& keys, const json::Value& item,
                           std::string& out) const {
  char before = '{';
  for (const std::string_view member : keys) {
    const json::Value* const part = KeyPart(item, member);
    if (part == nullptr) continue;
    out += before;
    AppendJsonString(member, out);
    out += ':';
    AppendPart(*part, out);
    before = ',';
  }
  out += before == '{' ? "{}" : "}";
}

const json::Value* ValueShape::KeyPart(const json::Value& item, std::string_view member) const {
  static const json::Value kTcp = "TCP";
  const json::Value* const part = item.Find(member);
  if (part != nullptr && (schema_ != nullptr || !part->is_null())) return part;
  if (schema_ == nullptr) return member == "protocol" ? &kTcp : nullptr;
  const SchemaNode* const node =
      schema_->items == nullptr ? nullptr : schema_->items->FindMember(member);
  return node != nullptr && node->default_value ? &*node->default_value : nullptr;
}

}  // namespace kinformer::apiserver
