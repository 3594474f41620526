#include "apiserver/schema/schema_check.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/schema/rule_check.h"
#include "apiserver/schema/rule_set.h"
#include "apiserver/schema/rule_validation.h"
#include "apiserver/schema/schema_fields.h"
#include "apiserver/schema/schema_validation.h"
#include "apiserver/schema/structural_schema.h"
#include "cel/regular_expression.h"
#include "cel/value_format.h"

namespace kinformer::apiserver {
namespace {

using json::Value;
using Causes = std::vector<StatusCause>;

constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";
constexpr std::string_view kIntOrString = "x-kubernetes-int-or-string";
constexpr std::string_view kEmbedded = "x-kubernetes-embedded-resource";
constexpr std::string_view kListType = "x-kubernetes-list-type";
constexpr std::string_view kMapKeys = "x-kubernetes-list-map-keys";
constexpr std::string_view kMapType = "x-kubernetes-map-type";
constexpr std::string_view kRules = kValidationRules;

bool Flag(const Value& schema, std::string_view name) {
  return schema[name].AsBool().value_or(false);
}
const std::string& Text(const Value& schema, std::string_view name) {
  return schema[name].StringOrEmpty();
}

std::string Property(const std::string& field, std::string_view name) {
  return field + ".properties[" + std::string(name) + "]";
}
std::string Member(const std::string& field, std::string_view name) {
  return field + "." + std::string(name);
}
std::string Item(const std::string& field, std::string_view name, std::size_t index) {
  return Member(field, name) + "[" + std::to_string(index) + "]";
}

// Calls `visit` with the schemas of the values contained in a value of `schema`, and their paths.
template <class Visit>
void EachChild(const Value& schema, const std::string& field, const Visit& visit) {
  for (const auto& [name, property] : schema["properties"].members()) {
    visit(property, Property(field, name), false);
  }
  if (schema["additionalProperties"].is_object()) {
    visit(schema["additionalProperties"], Member(field, "additionalProperties"), false);
  }
  if (schema["items"].is_object()) visit(schema["items"], Member(field, "items"), true);
}

// Calls `visit` with the schemas that restrict the same value.
template <class Visit>
void EachJunctor(const Value& schema, const std::string& field, const Visit& visit) {
  for (const char* name : {"allOf", "anyOf", "oneOf"}) {
    for (std::size_t i = 0; i < schema[name].items().size(); ++i) {
      visit(schema[name][i], Item(field, name, i));
    }
  }
  if (schema["not"].is_object()) visit(schema["not"], Member(field, "not"));
}

// ---- The schema must be structural

// anyOf: [{type: integer}, {type: string}], the only place where junctors may name types.
bool IsIntegerOrString(const Value& any_of) {
  return any_of.size() == 2 && any_of[0].size() == 1 && any_of[1].size() == 1 &&
         Text(any_of[0], "type") == "integer" && Text(any_of[1], "type") == "string";
}

class Structural {
 public:
  explicit Structural(Causes& causes) : causes_(causes) {}

  enum class Level : std::uint8_t { kRoot, kItem, kField };

  void Check(const Value& schema, const std::string& field, Level level, std::size_t depth) {
    if (AreEnough(causes_)) return;
    if (depth > kMaxSchemaDepth) {
      causes_.push_back(ForbiddenField(
          field, "must not be nested deeper than " + std::to_string(kMaxSchemaDepth) + " levels"));
      return;
    }
    CheckInvariants(schema, field, level);
    if (level == Level::kRoot) CheckRoot(schema, field);
    const bool int_or_string = Flag(schema, kIntOrString);
    const bool direct = int_or_string && IsIntegerOrString(schema["anyOf"]);
    const bool nested = int_or_string && !direct && IsIntegerOrString(schema["allOf"][0]["anyOf"]);
    EachJunctor(schema, field, [&](const Value& each, const std::string& at) {
      const bool excepted = direct && at.starts_with(Member(field, "anyOf"));
      const bool holds = nested && at == Item(field, "allOf", 0);
      CheckValueRules(each, at, field, excepted, holds, depth + 1);
    });
    EachChild(schema, field, [&](const Value& child, const std::string& at, bool item) {
      Check(child, at, item ? Level::kItem : Level::kField, depth + 1);
    });
  }

 private:
  void CheckInvariants(const Value& schema, const std::string& field, Level level) {
    const std::string& type = Text(schema, "type");
    const std::string at = Member(field, "type");
    const bool embedded = Flag(schema, kEmbedded);
    const bool preserves = Flag(schema, kPreserve);
    if (type == "array" && schema["items"].is_null()) {
      causes_.push_back(Required(Member(field, "items"), "must be specified"));
    }
    if (embedded && !preserves && schema["properties"].size() == 0) {
      causes_.push_back(Required(Member(field, "properties"),
                                 "must not be empty if x-kubernetes-embedded-resource is true "
                                 "without x-kubernetes-preserve-unknown-fields"));
    }
    if (embedded && type != "object") {
      constexpr std::string_view kRule = "must be object if x-kubernetes-embedded-resource is true";
      causes_.push_back(type.empty() ? Required(at, kRule)
                                     : InvalidValue(at, GoQuoted(type), kRule));
    } else if (type.empty() && !preserves && !Flag(schema, kIntOrString) &&
               Text(schema, "$ref").empty()) {
      causes_.push_back(Required(at, level == Level::kRoot ? "must not be empty at the root"
                                     : level == Level::kItem
                                         ? "must not be empty for specified array items"
                                         : "must not be empty for specified object fields"));
    }
    const Value* const preserve = schema.Find(kPreserve);
    if (preserve != nullptr && preserve->AsBool() == false) {
      causes_.push_back(
          InvalidValue(Member(field, kPreserve), "false", "must be true or undefined"));
    }
  }

  void CheckRoot(const Value& schema, const std::string& field) {
    const std::string& type = Text(schema, "type");
    if (!type.empty() && type != "object") {
      causes_.push_back(
          InvalidValue(Member(field, "type"), GoQuoted(type), "must be object at the root"));
    }
    if (!schema["additionalProperties"].is_null()) {
      causes_.push_back(
          ForbiddenField(Member(field, "additionalProperties"), "must not be used at the root"));
    }
    if (Flag(schema, "nullable")) {
      causes_.push_back(
          ForbiddenField(Member(field, "nullable"), "nullable cannot be true at the root"));
    }
    const Value& properties = schema["properties"];
    for (const char* name : {"apiVersion", "kind"}) {
      const std::string& named = Text(properties[name], "type");
      if (properties.contains(name) && named != "string") {
        causes_.push_back(
            InvalidValue(Member(Property(field, name), "type"), GoQuoted(named), "must be string"));
      }
    }
    if (!properties.contains("metadata")) return;
    const Value& metadata = properties["metadata"];
    const std::string at = Property(field, "metadata");
    if (Text(metadata, "type") != "object") {
      causes_.push_back(
          InvalidValue(Member(at, "type"), GoQuoted(Text(metadata, "type")), "must be object"));
      return;
    }
    const bool only_names =
        std::all_of(metadata.members().begin(), metadata.members().end(),
                    [](const auto& m) { return m.first == "type" || m.first == "properties"; }) &&
        std::all_of(metadata["properties"].members().begin(),
                    metadata["properties"].members().end(),
                    [](const auto& m) { return m.first == "name" || m.first == "generateName"; });
    if (!only_names) {
      causes_.push_back(
          ForbiddenField(at,
                         "must not specify anything other than name and generateName, but metadata "
                         "is implicitly specified"));
    }
  }

  // Allows only restrictions of values inside allOf, anyOf, oneOf and not. `excepted`: also a type;
  // `holds`: its anyOf is that of integers and strings.
  void CheckValueRules(const Value& schema, const std::string& field, const std::string& core,
                       bool excepted, bool holds, std::size_t depth) {
    if (AreEnough(causes_)) return;
    if (depth > kMaxSchemaDepth) {
      causes_.push_back(ForbiddenField(
          field, "must not be nested deeper than " + std::to_string(kMaxSchemaDepth) + " levels"));
      return;
    }
    struct Rule {
      std::string_view name;
      std::string_view state;
    };
    constexpr std::array<Rule, 13> kForbidden = {{
        {"additionalProperties", "undefined"},
        {"default", "undefined"},
        {"description", "empty"},
        {"nullable", "false"},
        {"title", "empty"},
        {"type", "empty"},
        {kEmbedded, "false"},
        {kIntOrString, "false"},
        {kMapKeys, "empty"},
        {kListType, "undefined"},
        {kMapType, "undefined"},
        {kPreserve, "false"},
        {kRules, "empty"},
    }};
    for (const Rule& rule : kForbidden) {
      if (rule.name == "type" && excepted) continue;
      const Value* const value = schema.Find(rule.name);
      if (value == nullptr || value->is_null()) continue;
      const bool unset =
          (value->is_bool() && !*value->AsBool() && rule.state == "false") ||
          (rule.state == "empty" && value->is_string() && value->StringOrEmpty().empty()) ||
          (rule.state == "empty" && value->is_array() && value->size() == 0);
      if (unset) continue;
      causes_.push_back(ForbiddenField(Member(field, rule.name),
                                       "must be " + std::string(rule.state) + " to be structural"));
    }
    if (schema["properties"].contains("metadata")) {
      causes_.push_back(
          ForbiddenField(Property(field, "metadata"), "must not be specified in a nested context"));
      causes_.push_back(Required(Property(core, "metadata"),
                                 "because it is defined in " + Property(field, "metadata")));
    }
    EachJunctor(schema, field, [&](const Value& each, const std::string& at) {
      CheckValueRules(each, at, core, holds && at.starts_with(Member(field, "anyOf")), false,
                      depth + 1);
    });
    for (const auto& [name, property] : schema["properties"].members()) {
      if (name == "metadata") continue;
      CheckValueRules(property, Property(field, name), Property(core, name), false, false,
                      depth + 1);
    }
    if (schema["items"].is_object()) {
      CheckValueRules(schema["items"], Member(field, "items"), Member(core, "items"), false, false,
                      depth + 1);
    }
  }

  Causes& causes_;
};

// ---- The schema must be consistent

class Sense {
 public:
  explicit Sense(Causes& causes) : causes_(causes) {}

  void Check(const Value& schema, const std::string& field) {
    if (AreEnough(causes_)) return;
    CheckForbidden(schema, field);
    CheckType(schema, field);
    CheckList(schema, field);
    CheckMap(schema, field);
    CheckPattern(schema, field);
    CheckRuleForms(schema, field, causes_);
    EachJunctor(schema, field,
                [this](const Value& each, const std::string& at) { Check(each, at); });
    EachChild(schema, field,
              [this](const Value& child, const std::string& at, bool) { Check(child, at); });
  }

 private:
  void CheckForbidden(const Value& schema, const std::string& field) {
    if (Flag(schema, "uniqueItems")) {
      causes_.push_back(ForbiddenField(Member(field, "uniqueItems"),
                                       "uniqueItems cannot be set to true since the runtime "
                                       "complexity becomes quadratic"));
    }
    for (const char* name :
         {"$ref", "id", "patternProperties", "additionalItems", "definitions", "dependencies"}) {
      const Value& value = schema[name];
      if (value.is_null() || (value.is_string() && value.StringOrEmpty().empty())) continue;
      causes_.push_back(
          ForbiddenField(Member(field, name), std::string(name) + " is not supported"));
    }
    if (schema["items"].is_array()) {
      causes_.push_back(
          ForbiddenField(Member(field, "items"), "items must be a schema object and not an array"));
    }
    const Value& additional = schema["additionalProperties"];
    if (schema["properties"].size() > 0 &&
        (additional.is_object() || additional.AsBool() == false)) {
      causes_.push_back(ForbiddenField(Member(field, "additionalProperties"),
                                       "additionalProperties and properties are mutual exclusive"));
    }
  }

  void CheckType(const Value& schema, const std::string& field) {
    const std::string& type = Text(schema, "type");
    if (type.empty() || SchemaTypeOf(type) != SchemaType::kAny) return;
    causes_.push_back(
        NotSupported(Member(field, "type"), type,
                     R"("array", "boolean", "integer", "number", "object", "string")"));
  }

  void WrongType(const std::string& field, const std::string& type, const std::string& rule) {
    const std::string at = Member(field, "type");
    causes_.push_back(type.empty() ? Required(at, rule) : InvalidValue(at, GoQuoted(type), rule));
  }

  void CheckList(const Value& schema, const std::string& field) {
    const Value& list_type = schema[kListType];
    const std::string& kind = list_type.StringOrEmpty();
    const Value& keys = schema[kMapKeys];
    if (list_type.is_string()) {
      if (Text(schema, "type") != "array") {
        WrongType(field, Text(schema, "type"),
                  "must be array if x-kubernetes-list-type is specified");
      }
      if (kind != "atomic" && kind != "set" && kind != "map") {
        causes_.push_back(
            NotSupported(Member(field, kListType), kind, R"("atomic", "set", "map")"));
      }
    }
    if (keys.size() > 0 && kind != "map") {
      constexpr std::string_view kRule = "must be map if x-kubernetes-list-map-keys is non-empty";
      causes_.push_back(kind.empty()
                            ? Required(Member(field, kListType), kRule)
                            : InvalidValue(Member(field, kListType), GoQuoted(kind), kRule));
    }
    const Value& items = schema["items"];
    if (kind == "map") CheckKeys(items, keys, field);
    if (kind == "set" && Text(items, "type") == "object" && Text(items, kMapType) != "atomic") {
      causes_.push_back(
          InvalidValue(Member(Member(field, "items"), kMapType),
                       items.contains(kMapType) ? GoQuoted(Text(items, kMapType)) : "null",
                       "must be atomic as item of a list with x-kubernetes-list-type=set"));
    }
  }

  void CheckKeys(const Value& items, const Value& keys, const std::string& field) {
    const std::string at = Member(field, kMapKeys);
    if (keys.size() == 0) {
      causes_.push_back(Required(at, "must not be empty if x-kubernetes-list-type is map"));
      return;
    }
    std::set<std::string_view> demands;
    for (const Value& name : items["required"].items()) demands.insert(name.StringOrEmpty());
    std::set<std::string> seen;
    bool named = true;
    for (const Value& key : keys.items()) {
      if (AreEnough(causes_)) return;
      const std::string& name = key.StringOrEmpty();
      seen.insert(name);
      const Value& property = items["properties"][name];
      if (property.is_null()) {
        named = false;
        continue;
      }
      const std::string of = Property(Member(field, "items"), name);
      const std::string& type = Text(property, "type");
      if (type == "array" || type == "object") {
        causes_.push_back(
            InvalidValue(Member(of, "type"), GoQuoted(type),
                         "must be a scalar type if parent array's x-kubernetes-list-type is map"));
      }
      const bool demanded = demands.contains(name);
      if (!demanded && property["default"].is_null()) {
        causes_.push_back(Required(Member(of, "default"),
                                   "this property is in x-kubernetes-list-map-keys, so it must "
                                   "have a default or be a required property"));
      }
      if (Flag(property, "nullable")) {
        causes_.push_back(ForbiddenField(
            Member(of, "nullable"),
            "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"));
      }
    }
    if (!named) {
      causes_.push_back(
          InvalidValue(at, keys.Dump(), "entries must all be names of item properties"));
    }
    if (seen.size() != keys.size()) {
      causes_.push_back(InvalidValue(at, keys.Dump(), "must not contain duplicate entries"));
    }
  }

  void CheckMap(const Value& schema, const std::string& field) {
    if (!schema[kMapType].is_string()) return;
    const std::string& kind = Text(schema, kMapType);
    if (Text(schema, "type") != "object") {
      WrongType(field, Text(schema, "type"),
                "must be object if x-kubernetes-map-type is specified");
    }
    if (kind != "atomic" && kind != "granular") {
      causes_.push_back(NotSupported(Member(field, kMapType), kind, R"("atomic", "granular")"));
    }
  }

  void CheckPattern(const Value& schema, const std::string& field) {
    const std::string& pattern = Text(schema, "pattern");
    if (pattern.empty()) return;
    const auto compiled = RegularExpression::Compile(pattern);
    if (compiled) return;
    causes_.push_back(InvalidValue(
        Member(field, "pattern"), GoQuoted(pattern),
        "must be a valid regular expression, but isn't: " + compiled.error().message()));
  }

  Causes& causes_;
};

// ---- Defaults must be valid by the schema

// As on a real server, defaults below additionalProperties are not checked.
void CheckDefaults(const Value& schema, const SchemaNode& node, const std::string& field,
                   bool root_metadata, Causes& causes) {
  if (AreEnough(causes)) return;
  const std::string at = Member(field, "default");
  if (node.default_value) {
    Value pruned = *node.default_value;
    if (root_metadata) {
      causes.push_back(ForbiddenField(at, "must not be set in top-level metadata"));
    } else {
      if (PruneValue(node, pruned)) {
        causes.push_back(
            InvalidValue(at, node.default_value->Dump({.sort_keys = true, .escape_html = false}),
                         "must not have unknown fields"));
      }
      Causes wrong = ValidateDefault(node, *node.default_value, at);
      if (wrong.empty()) wrong = ValidateRulesOfDefault(node, *node.default_value, at);
      std::ranges::move(wrong, std::back_inserter(causes));
    }
  }
  if (!node.has_defaults) return;
  for (const auto& [name, property] : schema["properties"].members()) {
    if (const SchemaNode* const child = node.FindProperty(name)) {
      CheckDefaults(property, *child, Property(field, name), root_metadata, causes);
    }
  }
  if (node.items != nullptr) {
    CheckDefaults(schema["items"], *node.items, Member(field, "items"), root_metadata, causes);
  }
}

void Warn(const Value& schema, std::set<std::string>& warnings) {
  const std::string& format = Text(schema, "format");
  if (!format.empty() && !internal::cel::IsKnownFormat(format)) {
    warnings.insert("unrecognized format " + GoQuoted(format));
  }
  EachJunctor(schema, {}, [&](const Value& each, const std::string&) { Warn(each, warnings); });
  EachChild(schema, {},
            [&](const Value& child, const std::string&, bool) { Warn(child, warnings); });
}

}  // namespace

Causes CheckSchema(const Value& schema, std::string_view field, bool is_new) {
  const std::string at(field);
  Causes causes;
  Structural(causes).Check(schema, at, Structural::Level::kRoot, 0);
  // Stops if the schema is too deep, to avoid recursion over it.
  const bool deep = std::any_of(causes.begin(), causes.end(), [](const StatusCause& cause) {
    return cause.message.find("nested deeper") != std::string::npos;
  });
  if (deep) return causes;
  Sense(causes).Check(schema, at);
  if (!causes.empty()) return causes;
  const StructuralSchema structural(schema);
  const SchemaNode& root = structural.root();
  CheckExpressions(schema, root, at, /*costs=*/is_new, causes);
  if (root.default_value) {
    for (const char* name : {"apiVersion", "kind"}) {
      if (!root.default_value->contains(name)) {
        causes.push_back(Required(Member(Member(at, "default"), name)));
      }
    }
  }
  for (const auto& [name, property] : schema["properties"].members()) {
    if (const SchemaNode* const child = root.FindProperty(name)) {
      CheckDefaults(property, *child, Property(at, name), name == "metadata", causes);
    }
  }
  return causes;
}

std::vector<std::string> SchemaWarnings(const Value& schema) {
  std::set<std::string> warnings;
  Warn(schema, warnings);
  return {warnings.begin(), warnings.end()};
}

}  // namespace kinformer::apiserver
