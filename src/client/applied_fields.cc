#include "client/applied_fields.h"

#include <utility>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object_meta.h"

namespace kinformer::internal::client {
namespace {

// Whether the value is that of an unset field.
bool IsEmpty(const FieldDescriptor& field, const json::Value& value) {
  if (value.is_null()) return true;
  if (field.pointer) return false;
  if (value.is_object() || value.is_array()) return value.size() == 0;
  if (const auto text = value.AsString()) {
    return text->empty() || (field.kind == FieldKind::kQuantity && *text == "0");
  }
  if (value.is_number()) return value.AsDouble() == 0.0;
  return value.AsBool() == false;
}

json::Value SetFields(const MessageDescriptor& message, const json::Value& object);

// Returns the field's value, reduced to fields that are set.
json::Value SetParts(const FieldDescriptor& field, const json::Value& value) {
  if (field.message == nullptr) return value;
  if (field.repeated) {
    json::Value items = json::Value::MakeArray();
    for (const json::Value& item : value.items()) items.Append(SetFields(*field.message, item));
    return items;
  }
  if (field.map) {
    json::Value entries = json::Value::MakeObject();
    for (const auto& [key, entry] : value.members()) {
      entries.Set(key, SetFields(*field.message, entry));
    }
    return entries;
  }
  return SetFields(*field.message, value);
}

json::Value SetFields(const MessageDescriptor& message, const json::Value& object) {
  if (!object.is_object()) return object;
  json::Value out = json::Value::MakeObject();
  for (const auto& [name, value] : object.members()) {
    const FieldDescriptor* field = FindJsonMember(message, name);
    if (field == nullptr) {
      out.Set(name, value);  // kind, apiVersion
      continue;
    }
    json::Value set = SetParts(*field, value);
    if (!IsEmpty(*field, set)) out.Set(name, std::move(set));
  }
  return out;
}

}  // namespace

Result<std::string> AppliedFields(const KindInfo& type, std::string_view json) {
  Result<json::Value> object = json::Parse(json);
  if (!object) return std::move(object).error().WithContext("the object to be applied");
  if (type.message != nullptr) return SetFields(*type.message, *object).Dump();
  if (json::Value* metadata = object->Find("metadata")) {
    *metadata = SetFields(metav1::ObjectMeta::message_descriptor(), *metadata);
  }
  return object->Dump();
}

}  // namespace kinformer::internal::client
