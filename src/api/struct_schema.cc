// The part of a struct's schema that the lines of kSchema say.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/internal/schema_writer.h"

namespace kinformer::internal {
namespace {

using json::Value;

void SetText(Value& schema, std::string_view name, std::string_view text) {
  if (!text.empty()) schema.Set(name, text);
}

void SetFlag(Value& schema, std::string_view name, bool flag) {
  if (flag) schema.Set(name, true);
}

void SetNumber(Value& schema, std::string_view name, const std::optional<double>& number) {
  constexpr double kExact = 9007199254740992.0;
  if (!number) return;
  const bool integer = std::trunc(*number) == *number && std::abs(*number) <= kExact;
  schema.Set(name, integer ? Value(static_cast<std::int64_t>(*number)) : Value(*number));
}

void SetNumber(Value& schema, std::string_view name, const std::optional<std::int64_t>& number) {
  if (number) schema.Set(name, *number);
}

void AddRule(const SchemaRule& rule, Value& schema) {
  Value out = Value::MakeObject({{"rule", rule.expression}});
  SetText(out, "message", rule.message);
  SetText(out, "messageExpression", rule.message_expression);
  SetText(out, "reason", rule.reason);
  SetText(out, "fieldPath", rule.field_path);
  SetFlag(out, "optionalOldSelf", rule.optional_old_self);
  schema.Ensure("x-kubernetes-validations").Append(std::move(out));
}

// Adds what needs no check.
void AddPlain(const FieldSchema& line, Value& schema) {
  SetText(schema, "description", line.description);
  SetFlag(schema, "nullable", line.nullable);
  SetText(schema, "format", line.format);
  SetText(schema, "pattern", line.pattern);
  if (!line.values.empty()) schema.Erase("enum");
  for (const std::string_view value : PartsOf(line.values)) schema.Ensure("enum").Append(value);
  SetNumber(schema, "minimum", line.minimum);
  SetNumber(schema, "maximum", line.maximum);
  SetFlag(schema, "exclusiveMinimum", line.exclusive_minimum);
  SetFlag(schema, "exclusiveMaximum", line.exclusive_maximum);
  SetNumber(schema, "multipleOf", line.multiple_of);
  SetNumber(schema, "minLength", line.min_length);
  SetNumber(schema, "maxLength", line.max_length);
  SetNumber(schema, "minItems", line.min_items);
  SetNumber(schema, "maxItems", line.max_items);
  SetNumber(schema, "minProperties", line.min_properties);
  SetNumber(schema, "maxProperties", line.max_properties);
  SetText(schema, "x-kubernetes-map-type", line.map_type);
  SetFlag(schema, "x-kubernetes-preserve-unknown-fields", line.preserve_unknown_fields);
  SetFlag(schema, "x-kubernetes-embedded-resource", line.embedded_resource);
  if (!line.rule.expression.empty()) AddRule(line.rule, schema);
}

bool Has(const json::Array& names, std::string_view name) {
  return std::find(names.begin(), names.end(), Value(name)) != names.end();
}

// Returns what is wrong with the key of a list; empty: nothing.
std::string WrongKey(const Value& items, std::string_view key) {
  const Value* const member = items["properties"].Find(key);
  const std::string name = "list_map_keys names " + std::string(key);
  if (member == nullptr) return name + ", which the items lack";
  if (Has(items["required"].items(), key) || member->contains("default")) return {};
  return name + ", which must be required in the items, or have a default";
}

}  // namespace

std::vector<std::string_view> PartsOf(std::string_view list) {
  std::vector<std::string_view> out;
  while (!list.empty()) {
    std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(part.size() + 1, list.size()));
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    part = part.substr(0, part.find_last_not_of(' ') + 1);
    if (!part.empty()) out.push_back(part);
  }
  return out;
}

StructSchema::StructSchema(std::string_view name, std::vector<std::string>& errors)
    : name_(name), errors_(errors), schema_(TypedSchema("object")) {}

void StructSchema::Add(const FieldFacts& field, Value schema, Value initial) {
  if (!initial.is_null()) schema.Set("default", std::move(initial));
  schema_.Ensure("properties").Set(field.name, std::move(schema));
}

void StructSchema::Add(std::span<const FieldFacts> fields, std::span<const FieldSchema> lines) {
  for (const FieldSchema& line : lines) {
    if (line.member.empty()) {
      AddLine(line, schema_, name_);
      continue;
    }
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const FieldFacts& one) {
      return one.member == line.member;
    });
    Value& schema = schema_.Ensure("properties", field->name);
    if (line.required && !Has(schema_["required"].items(), field->name)) {
      schema_.Ensure("required").Append(field->name);
    }
    AddLine(line, schema, name_ + "::" + std::string(line.member));
  }
}

bool StructSchema::ReadJson(std::string_view text, const std::string& place, Value& out) {
  Result<Value> value = json::Parse(text);
  if (!value) {
    errors_.push_back(place + " is no JSON: " + value.error().message());
    return false;
  }
  out = *std::move(value);
  return true;
}

void StructSchema::AddLine(const FieldSchema& line, Value& schema, const std::string& place) {
  AddPlain(line, schema);
  if (line.required || line.no_default) schema.Erase("default");
  if (Value value; !line.default_value.empty() &&
                   ReadJson(line.default_value, place + ": default_value", value)) {
    schema.Set("default", std::move(value));
  }
  if (!line.list_type.empty()) {
    schema.Set("x-kubernetes-list-type", line.list_type);
    if (schema["type"].StringOrEmpty() != "array") {
      errors_.push_back(place + ": list_type is for lists");
    } else if ((line.list_type == "map") != !line.list_map_keys.empty()) {
      errors_.push_back(place + R"(: list_map_keys belongs to the list_type "map")");
    }
  }
  if (line.each != nullptr) {
    const bool list = schema["type"].StringOrEmpty() == "array";
    Value* const inner = schema.Find(list ? "items" : "additionalProperties");
    if (inner == nullptr) {
      errors_.push_back(place + ": `each` is for lists and maps");
    } else {
      AddLine(*line.each, *inner, place + (list ? "[]" : "{}"));
    }
  }
  for (const std::string_view key : PartsOf(line.list_map_keys)) {
    schema.Ensure("x-kubernetes-list-map-keys").Append(key);
    std::string wrong = WrongKey(schema["items"], key);
    if (!wrong.empty()) errors_.push_back(place + ": " + wrong);
  }
  if (Value extra; !line.extra.empty() && ReadJson(line.extra, place + ": extra", extra)) {
    if (!extra.is_object()) errors_.push_back(place + ": extra must be an object");
    for (const auto& [name, value] : extra.members()) {
      if (value.is_null()) {
        schema.Erase(name);
      } else {
        schema.Set(name, value);
      }
    }
  }
}

}  // namespace kinformer::internal
