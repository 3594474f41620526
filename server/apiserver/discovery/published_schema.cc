#include "apiserver/discovery/published_schema.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace kinformer::apiserver {
namespace {

using json::Value;

constexpr const char* kIntOrString = "x-kubernetes-int-or-string";
constexpr const char* kEmbedded = "x-kubernetes-embedded-resource";
constexpr const char* kPreserve = "x-kubernetes-preserve-unknown-fields";

bool IsSet(const Value& schema, std::string_view flag) {
  return schema[flag].AsBool().value_or(false);
}

Value Typed(const char* type) { return Value::MakeObject({{"type", type}}); }

// Returns the choice that every value has which is a number or a string.
Value NumberOrString() { return Value::MakeArray({Typed("integer"), Typed("string")}); }

void SayNumberOrString(Value& schema) {
  const Value choice = NumberOrString();
  const Value& given = std::as_const(schema)["anyOf"];
  const Value& first = std::as_const(schema)["allOf"][0];
  if (given == choice || first["anyOf"] == choice) return;
  if (!given.is_array()) {
    schema.Set("anyOf", choice);
    return;
  }
  Value all = Value::MakeArray({Value::MakeObject({{"anyOf", choice}})});
  for (const Value& other : std::as_const(schema)["allOf"].items()) all.Append(other);
  schema.Set("allOf", std::move(all));
}

// Removes members that say nothing, as Go's form of a schema lacks them.
void RemoveEmpty(Value& schema) {
  constexpr auto kFlags =
      std::to_array<std::string_view>({"nullable", "exclusiveMinimum", "exclusiveMaximum",
                                       "uniqueItems", kIntOrString, kEmbedded, kPreserve});
  for (const std::string_view flag : kFlags) {
    if (schema.contains(flag) && !IsSet(schema, flag)) schema.Erase(flag);
  }
  constexpr auto kLists = std::to_array<std::string_view>(
      {"properties", "required", "enum", "allOf", "anyOf", "oneOf", "x-kubernetes-validations",
       "x-kubernetes-list-map-keys", "type", "format", "title", "description", "pattern"});
  for (const std::string_view name : kLists) {
    const Value& member = std::as_const(schema)[name];
    const bool empty = member.is_string() ? member.StringOrEmpty().empty() : member.size() == 0;
    if (schema.contains(name) && empty) schema.Erase(name);
  }
  // The default null is none.
  if (schema.contains("default") && std::as_const(schema)["default"].is_null()) {
    schema.Erase("default");
  }
}

// Removes required members whose schemas are nullable.
void RequireLess(Value& schema) {
  Value required = Value::MakeArray();
  for (const Value& name : std::as_const(schema)["required"].items()) {
    if (!IsSet(std::as_const(schema)["properties"][name.StringOrEmpty()], "nullable")) {
      required.Append(name);
    }
  }
  if (IsSet(std::as_const(schema)["additionalProperties"], "nullable")) {
    required = Value::MakeArray();
  }
  schema.Set("required", std::move(required));
}

// Removes what OpenAPI 2, or its readers, cannot have.
void Simplify(Value& schema) {
  for (const char* const name : {"allOf", "oneOf", "anyOf", "not", "default"}) schema.Erase(name);
  const bool nullable = IsSet(schema, "nullable");
  const bool preserves = IsSet(schema, kPreserve);
  if (nullable || preserves) {
    schema.Erase("items");
    schema.Erase("properties");
  }
  if (nullable) {
    schema.Erase("nullable");
    schema.Erase("type");
  }
  const std::string type = std::as_const(schema)["type"].StringOrEmpty();
  if ((type == "array" && !schema.contains("items")) || (type == "object" && preserves)) {
    schema.Erase("type");
  }
  RequireLess(schema);
}

class Publisher {
 public:
  Publisher(OpenApiVersion form, const Value& metadata) : form_(form), metadata_(metadata) {}

  void Publish(Value& schema) const {
    if (!schema.is_object()) return;
    if (form_ == OpenApiVersion::kV2) {
      Simplify(schema);
    } else if (IsSet(schema, kIntOrString)) {
      SayNumberOrString(schema);
    }
    RemoveEmpty(schema);
    for (const char* const name : {"items", "additionalProperties", "not"}) {
      if (Value* const inner = schema.Find(name)) Publish(*inner);
    }
    for (const char* const name : {"allOf", "anyOf", "oneOf"}) {
      Value* const list = schema.Find(name);
      if (list == nullptr || list->IfArray() == nullptr) continue;
      for (Value& inner : *list->IfArray()) Publish(inner);
    }
    if (Value* const properties = schema.Find("properties")) {
      Value published = Value::MakeObject();
      for (const auto& [name, member] : std::as_const(*properties).members()) {
        Value inner = member;
        Publish(inner);
        published.Set(name, std::move(inner));
      }
      *properties = std::move(published);
    }
    if (IsSet(schema, kEmbedded)) Embed(schema);
  }

 private:
  void Embed(Value& schema) const {
    if (form_ == OpenApiVersion::kV2 && IsSet(schema, kPreserve)) return;
    Value& properties = schema.Ensure("properties");
    properties.Set("apiVersion", Typed("string"));
    properties.Set("kind", Typed("string"));
    properties.Set("metadata", metadata_);
    Value& required = schema.Ensure("required");
    for (const char* const name : {"kind", "apiVersion"}) {
      const auto& names = required.EnsureArray();
      if (std::find(names.begin(), names.end(), Value(name)) == names.end()) required.Append(name);
    }
  }

  OpenApiVersion form_;
  const Value& metadata_;
};

}  // namespace

json::Value PublishedSchema(const json::Value& schema, OpenApiVersion form,
                            const json::Value& metadata) {
  Value out = schema.is_object() ? schema : Typed("object");
  // Nothing tells a reader that unknown members may come, if it names known ones.
  if (form == OpenApiVersion::kV2 && IsSet(out, kPreserve)) return Typed("object");
  Publisher(form, metadata).Publish(out);
  Value& properties = out.Ensure("properties");
  properties.Set("apiVersion", Typed("string"));
  properties.Set("kind", Typed("string"));
  properties.Set("metadata", metadata);
  return out;
}

}  // namespace kinformer::apiserver
