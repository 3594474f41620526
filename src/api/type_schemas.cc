// Schemas of single types, as controller-gen writes them.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/descriptor.h"
#include "kinformer/internal/schema_writer.h"

namespace kinformer::internal {
namespace {

using json::Value;

constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";
constexpr std::string_view kIntOrString = "x-kubernetes-int-or-string";
constexpr std::string_view kQuantityPattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?)"
    R"((([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

// Messages that contain the one at hand, the nearest first.
struct Outer {
  const MessageDescriptor* message;
  const Outer* outer;
};

bool IsWithin(const MessageDescriptor& message, const Outer* outer) {
  for (; outer != nullptr; outer = outer->outer) {
    if (outer->message == &message) return true;
  }
  return false;
}

Value MessageSchema(const MessageDescriptor& message, const Outer* outer);

Value FieldSchemaOf(const FieldDescriptor& field, const Outer& outer) {
  switch (field.kind) {
    case FieldKind::kString:
    case FieldKind::kDuration:
      return TypedSchema("string");
    case FieldKind::kBool:
      return TypedSchema("boolean");
    case FieldKind::kInt32:
      return TypedSchema("integer", "int32");
    case FieldKind::kInt64:
      return TypedSchema("integer", "int64");
    case FieldKind::kDouble:
      return TypedSchema("number", "double");
    case FieldKind::kBytes:
      return TypedSchema("string", "byte");
    case FieldKind::kTime:
    case FieldKind::kMicroTime:
      return TypedSchema("string", "date-time");
    case FieldKind::kQuantity:
      return QuantitySchema();
    case FieldKind::kIntOrString:
      return IntOrStringSchema();
    case FieldKind::kRawJson:
      return AnyObjectSchema();
    case FieldKind::kMessage:
      return MessageSchema(*field.message, &outer);
    case FieldKind::kJsonUnion:
      break;
  }
  if (field.message != nullptr && field.message->union_kind == UnionKind::kStringList) {
    return ListSchema(TypedSchema("string"));
  }
  return AnyValueSchema();
}

// Adds the merge rule of a list, where a definition may have it: a key must be in each item.
void AddListType(const FieldDescriptor& field, Value& list) {
  const MergeRule* const rule = field.merge_rule;
  if (rule == nullptr) return;
  if (rule->list_type == ListType::kAtomic) list.Set("x-kubernetes-list-type", "atomic");
  if (rule->list_type == ListType::kSet) list.Set("x-kubernetes-list-type", "set");
  if (rule->list_type != ListType::kMap || field.message == nullptr) return;
  if (rule->list_map_keys.find(',') != std::string_view::npos) return;
  const FieldDescriptor* const key = FindByName(*field.message, rule->list_map_keys);
  if (key == nullptr) return;
  list.Set("x-kubernetes-list-type", "map");
  list.Ensure("x-kubernetes-list-map-keys").Append(rule->list_map_keys);
  Value& required = list.Ensure("items", "required");
  const json::Array& names = required.items();
  if (std::find(names.begin(), names.end(), Value(key->json_name)) == names.end()) {
    required.Append(key->json_name);
  }
}

void AddFields(const MessageDescriptor& message, const Outer& here, Value& properties) {
  if (message.type_meta) {
    properties.Ensure("apiVersion", "type") = "string";
    properties.Ensure("kind", "type") = "string";
  }
  for (const std::uint16_t index : message.json_order) {
    const FieldDescriptor& field = message.fields[index];
    if (field.inlined) {
      AddFields(*field.message, here, properties);
      continue;
    }
    Value schema = FieldSchemaOf(field, here);
    if (field.map) {
      schema = MapSchema(std::move(schema));
    } else if (field.repeated) {
      schema = ListSchema(std::move(schema));
      AddListType(field, schema);
    }
    properties.Set(field.json_name, std::move(schema));
  }
}

// The rules of a condition, which no table of fields has.
void AddConditionRules(Value& schema) {
  schema.Set("required",
             Value::MakeArray({"lastTransitionTime", "message", "reason", "status", "type"}));
  Value& properties = *schema.Find("properties");
  properties.Ensure("message", "maxLength") = 32768;
  properties.Ensure("observedGeneration", "minimum") = 0;
  Value& reason = properties.Ensure("reason");
  reason.Set("minLength", 1);
  reason.Set("maxLength", 1024);
  reason.Set("pattern", "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$");
  properties.Ensure("status", "enum") = Value::MakeArray({"True", "False", "Unknown"});
  Value& type = properties.Ensure("type");
  type.Set("maxLength", 316);
  type.Set("pattern", R"(^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?)"
                      R"((([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$)");
}

bool IsCondition(const MessageDescriptor& message) {
  return message.name == "k8s.io.apimachinery.pkg.apis.meta.v1.Condition";
}

Value MessageSchema(const MessageDescriptor& message, const Outer* outer) {
  if (IsWithin(message, outer)) return AnyObjectSchema();
  Value schema = TypedSchema("object");
  const Outer here{&message, outer};
  AddFields(message, here, schema.Ensure("properties"));
  if (IsCondition(message)) AddConditionRules(schema);
  return schema;
}

}  // namespace

Value TypedSchema(std::string_view type, std::string_view format) {
  Value schema = Value::MakeObject({{"type", type}});
  if (!format.empty()) schema.Set("format", format);
  return schema;
}

Value IntegerSchema(std::size_t bytes, bool is_signed) {
  if (bytes == sizeof(std::int64_t)) {
    Value schema = TypedSchema("integer", "int64");
    if (!is_signed) schema.Set("minimum", 0);
    return schema;
  }
  if (bytes == sizeof(std::int32_t) && is_signed) return TypedSchema("integer", "int32");
  const std::int64_t values = std::int64_t{1} << (8 * bytes);
  Value schema = TypedSchema("integer", bytes < sizeof(std::int32_t) ? "int32" : "int64");
  schema.Set("minimum", is_signed ? -values / 2 : 0);
  schema.Set("maximum", is_signed ? values / 2 - 1 : values - 1);
  return schema;
}

Value AnyValueSchema() { return Value::MakeObject({{kPreserve, true}}); }

Value AnyObjectSchema() { return Value::MakeObject({{"type", "object"}, {kPreserve, true}}); }

Value IntOrStringSchema() {
  return Value::MakeObject(
      {{"anyOf", Value::MakeArray({TypedSchema("integer"), TypedSchema("string")})},
       {kIntOrString, true}});
}

Value QuantitySchema() {
  Value schema = IntOrStringSchema();
  schema.Set("pattern", kQuantityPattern);
  return schema;
}

Value ListSchema(Value items) {
  return Value::MakeObject({{"type", "array"}, {"items", std::move(items)}});
}

Value MapSchema(Value values) {
  return Value::MakeObject({{"type", "object"}, {"additionalProperties", std::move(values)}});
}

Value ChoiceSchema(const std::vector<std::string_view>& texts) {
  Value schema = TypedSchema("string");
  for (const std::string_view text : texts) schema.Ensure("enum").Append(text);
  return schema;
}

Value MessageSchema(const MessageDescriptor& message) { return MessageSchema(message, nullptr); }

json::Value MessageListSchema(const MessageDescriptor& message) {
  Value list = ListSchema(MessageSchema(message));
  if (IsCondition(message)) {
    list.Set("x-kubernetes-list-type", "map");
    list.Set("x-kubernetes-list-map-keys", Value::MakeArray({"type"}));
  }
  return list;
}

}  // namespace kinformer::internal
