#include "object/transcode/drop_unknown.h"

#include <cstddef>
#include <string_view>

namespace kinformer::internal {
namespace {

bool IsTypeMeta(std::string_view name) { return name == "kind" || name == "apiVersion"; }

void DropFrom(const MessageDescriptor& message, json::Value& value, bool root);

void DropFromField(const FieldDescriptor& field, json::Value& value) {
  if (field.map) {
    json::Object* const members = value.IfObject();
    for (std::size_t i = 0; members != nullptr && i < members->size(); ++i) {
      DropFrom(*field.message, members->value(i), false);
    }
  } else if (field.repeated) {
    json::Array* const items = value.IfArray();
    if (items == nullptr) return;
    for (json::Value& item : *items) DropFrom(*field.message, item, false);
  } else {
    DropFrom(*field.message, value, false);
  }
}

// The value has the JSON form of one of the message's fields.
void DropFromUnion(const MessageDescriptor& message, json::Value& value) {
  for (const FieldDescriptor& field : message.fields) {
    if (field.message == nullptr || value.is_array() != field.repeated) continue;
    DropFromField(field, value);
  }
}

void DropFrom(const MessageDescriptor& message, json::Value& value, bool root) {
  if (message.union_kind != UnionKind::kNone) return DropFromUnion(message, value);
  json::Object* const members = value.IfObject();
  if (members == nullptr) return;
  members->EraseIf([&](const json::Object::Member& member) {
    if (IsTypeMeta(member.first) && (root || message.type_meta)) return false;
    return FindJsonMember(message, member.first) == nullptr;
  });
  for (std::size_t i = 0; i < members->size(); ++i) {
    const FieldDescriptor* const field = FindJsonMember(message, members->name(i));
    if (field != nullptr && field->message != nullptr) DropFromField(*field, members->value(i));
  }
}

}  // namespace

void DropUnknownMembers(const MessageDescriptor& message, json::Value& object) {
  DropFrom(message, object, /*root=*/true);
}

}  // namespace kinformer::internal
