#include "apiserver/schema/schema_correlation.h"

#include <algorithm>
#include <utility>

namespace kinformer::apiserver {

using json::Value;

std::optional<std::string> CorrelationKey(const SchemaNode& schema, const Value& item) {
  std::string key;
  for (const std::string& name : schema.map_keys) {
    const Value* const part = item.Find(name);
    const bool plain = part != nullptr && (part->is_string() || part->is_bool() || part->AsInt64());
    if (!plain) return std::nullopt;
    key.append(part->is_number() ? std::to_string(*part->AsInt64()) : part->Dump()).append("/");
  }
  return key;
}

CorrelatedItems Correlate(const SchemaNode& schema, const Value& list) {
  CorrelatedItems out;
  for (const Value& item : list.items()) {
    if (auto key = CorrelationKey(schema, item)) out.emplace(*std::move(key), &item);
  }
  return out;
}

bool IsUnchanged(const SchemaNode& schema, const Value& value, const Value& old) {
  if (value.is_array() && old.is_array() && schema.list_type == ListType::kMap &&
      schema.items != nullptr) {
    if (value.size() != old.size()) return false;
    const CorrelatedItems before = Correlate(schema, old);
    return std::ranges::all_of(value.items(), [&](const Value& item) {
      const auto key = CorrelationKey(schema, item);
      const auto found = key ? before.find(*key) : before.end();
      return found != before.end() && IsUnchanged(*schema.items, item, *found->second);
    });
  }
  if (value.is_object() && old.is_object()) {
    if (value.size() != old.size()) return false;
    return std::ranges::all_of(value.members(), [&](const json::Object::Member& member) {
      const SchemaNode* const child = schema.FindMember(member.first);
      const Value* const was = old.Find(member.first);
      return child != nullptr && was != nullptr && IsUnchanged(*child, member.second, *was);
    });
  }
  return value == old;
}

}  // namespace kinformer::apiserver
