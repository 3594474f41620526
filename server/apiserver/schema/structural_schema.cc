#include "apiserver/schema/structural_schema.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "apiserver/schema/validation_rules.h"

namespace kinformer::apiserver {
namespace {

std::vector<std::string> Strings(const json::Value& texts) {
  std::vector<std::string> out;
  for (const json::Value& text : texts.items()) out.push_back(text.StringOrEmpty());
  return out;
}

bool Flag(const json::Value& schema, std::string_view name) {
  return schema[name].AsBool().value_or(false);
}

// Approximate memory of one value.
constexpr std::size_t kValueCost = 64;

// Returns the number of values in it, including itself.
std::size_t CountOf(const json::Value& value) {
  std::size_t count = 1;
  for (const json::Value& item : value.items()) count += CountOf(item);
  for (const auto& [name, member] : value.members()) count += CountOf(member);
  return count;
}

// Appends the value with integers in one notation, and the members of objects sorted.
void AppendCanonical(const json::Value& value, std::string& out) {
  if (value.is_number()) {
    if (const auto integer = value.AsInt64()) {
      out += std::to_string(*integer);
    } else {
      out += value.is_integer() ? value.Dump() : json::Value(value.AsDouble().value_or(0)).Dump();
    }
  } else if (value.is_array()) {
    out += '[';
    for (const json::Value& item : value.items()) {
      AppendCanonical(item, out);
      out += ',';
    }
    out += ']';
  } else if (value.is_object()) {
    std::map<std::string_view, const json::Value*> sorted;
    for (const auto& [name, member] : value.members()) sorted.emplace(name, &member);
    out += '{';
    for (const auto& [name, member] : sorted) {
      json::AppendQuoted(out, name);
      out += ':';
      AppendCanonical(*member, out);
      out += ',';
    }
    out += '}';
  } else {
    out += value.Dump();
  }
}

std::vector<SchemaNode> ParseAll(const json::Value& schemas, std::size_t depth);

// Names of types occur in messages only.
constexpr std::size_t kMaxName = 200;

// The treatment of rules, and where the schema stands.
struct RuleContext {
  bool compiles = false;
  bool root = false;  // a whole object
  std::string name{};

  [[nodiscard]] RuleContext Inside(const json::Value& schema, std::string_view child) const {
    if (!compiles) return {};
    return {.compiles = true,
            .root = Flag(schema, "x-kubernetes-embedded-resource"),
            .name = name.substr(0, kMaxName) + "." + std::string(child.substr(0, kMaxName))};
  }
};

SchemaNode ParseNode(const json::Value& schema, std::size_t depth,
                     const RuleContext& context = {}) {
  SchemaNode node;
  if (depth > kMaxSchemaDepth) return node;
  node.type = SchemaTypeOf(schema["type"].StringOrEmpty());
  node.has_integers = node.type == SchemaType::kInteger;
  node.nullable = Flag(schema, "nullable");
  node.int_or_string = Flag(schema, "x-kubernetes-int-or-string");
  node.embedded_resource = Flag(schema, "x-kubernetes-embedded-resource");
  node.preserve_unknown = Flag(schema, "x-kubernetes-preserve-unknown-fields");
  node.exclusive_minimum = Flag(schema, "exclusiveMinimum");
  node.exclusive_maximum = Flag(schema, "exclusiveMaximum");
  node.atomic_map = schema["x-kubernetes-map-type"].StringOrEmpty() == "atomic";
  const std::string& list_type = schema["x-kubernetes-list-type"].StringOrEmpty();
  if (list_type == "set") node.list_type = ListType::kSet;
  if (list_type == "map") node.list_type = ListType::kMap;
  node.map_keys = Strings(schema["x-kubernetes-list-map-keys"]);
  if (const json::Value* value = schema.Find("default"); value != nullptr && !value->is_null()) {
    node.default_value = *value;
    node.default_cost = value->Dump().size() + CountOf(*value) * kValueCost;
    node.has_defaults = true;
  }

  std::vector<std::pair<std::string_view, const json::Value*>> members;
  for (const auto& [name, property] : schema["properties"].members()) {
    members.emplace_back(name, &property);
  }
  std::sort(members.begin(), members.end());
  for (const auto& [name, property] : members) {
    node.names.emplace_back(name);
    node.properties.push_back(ParseNode(*property, depth + 1, context.Inside(*property, name)));
    node.has_rules = node.has_rules || node.properties.back().has_rules;
    node.has_integers = node.has_integers || node.properties.back().has_integers;
    node.has_defaults = node.has_defaults || node.properties.back().has_defaults;
  }
  const json::Value& additional = schema["additionalProperties"];
  node.any_additional = additional.is_bool();
  node.no_additional = additional.is_bool() && !*additional.AsBool();
  if (additional.is_object()) {
    node.additional = std::make_unique<const SchemaNode>(
        ParseNode(additional, depth + 1, context.Inside(additional, "@values")));
    node.has_rules = node.has_rules || node.additional->has_rules;
    node.has_integers = node.has_integers || node.additional->has_integers;
    node.has_defaults = node.has_defaults || node.additional->has_defaults;
  }
  if (schema["items"].is_object()) {
    node.items = std::make_unique<const SchemaNode>(
        ParseNode(schema["items"], depth + 1, context.Inside(schema["items"], "@items")));
    node.has_rules = node.has_rules || node.items->has_rules;
    node.has_integers = node.has_integers || node.items->has_integers;
    node.has_defaults = node.has_defaults || node.items->has_defaults;
  }

  node.required = Strings(schema["required"]);
  node.enumeration = schema["enum"].items();
  for (const json::Value& each : node.enumeration) node.enumerated.insert(EnumerationText(each));
  node.format = schema["format"].StringOrEmpty();
  if (const std::string& pattern = schema["pattern"].StringOrEmpty(); !pattern.empty()) {
    if (auto compiled = RegularExpression::Compile(pattern)) node.pattern = *std::move(compiled);
  }
  node.minimum = schema["minimum"].AsDouble();
  node.maximum = schema["maximum"].AsDouble();
  node.multiple_of = schema["multipleOf"].AsDouble();
  node.min_length = schema["minLength"].AsInt64();
  node.max_length = schema["maxLength"].AsInt64();
  node.min_items = schema["minItems"].AsInt64();
  node.max_items = schema["maxItems"].AsInt64();
  node.min_properties = schema["minProperties"].AsInt64();
  node.max_properties = schema["maxProperties"].AsInt64();
  node.all_of = ParseAll(schema["allOf"], depth + 1);
  node.any_of = ParseAll(schema["anyOf"], depth + 1);
  node.one_of = ParseAll(schema["oneOf"], depth + 1);
  if (schema["not"].is_object()) {
    node.not_ = std::make_unique<const SchemaNode>(ParseNode(schema["not"], depth + 1));
  }
  if (context.compiles) {
    node.declared_type = DeclaredType(node, context.root, context.name);
    node.rules = CompileRules(schema, node, node.declared_type);
    node.has_rules = node.has_rules || node.rules != nullptr;
  }
  return node;
}

std::vector<SchemaNode> ParseAll(const json::Value& schemas, std::size_t depth) {
  std::vector<SchemaNode> out;
  for (const json::Value& schema : schemas.items()) out.push_back(ParseNode(schema, depth));
  return out;
}

}  // namespace

std::string EnumerationText(const json::Value& value) {
  std::string text;
  AppendCanonical(value, text);
  return text;
}

SchemaNode StructuralSchema::Parse(const json::Value& schema) { return ParseNode(schema, 0); }

StructuralSchema::StructuralSchema(const json::Value& schema)
    : source_(schema),
      root_(ParseNode(
          schema, 0, {.compiles = HasValidationRules(schema), .root = true, .name = "selfType"})) {}

}  // namespace kinformer::apiserver
