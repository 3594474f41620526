#include "apiserver/schema/validation_rules.h"

#include <algorithm>
#include <utility>

#include "cel/program.h"

namespace kinformer::apiserver {
namespace {

namespace cel = internal::cel;
using cel::Plain;
using cel::TypeKind;
using cel::TypePtr;

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

// The most bytes of a request, by which values without a limit are limited.
constexpr std::uint64_t kMaxRequest = std::uint64_t{3} << 20;

// Returns a type of its own, of values with these sizes.
TypePtr Sized(TypeKind kind, std::uint64_t max_size, std::uint64_t min_json) {
  auto type = std::make_shared<cel::Type>(*Plain(kind));
  type->max_size = max_size;
  type->min_json = min_json;
  return type;
}

std::uint64_t NotNegative(std::int64_t limit) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(limit, 0));
}

// The longest text that the schema allows, in bytes: a sign may need four of them.
std::uint64_t LongestText(const SchemaNode& node) {
  if (node.max_length) return NotNegative(*node.max_length) * 4;
  std::size_t longest = 0;
  for (const json::Value& value : node.enumeration) {
    if (const auto text = value.AsString()) longest = std::max(longest, text->size());
  }
  return node.enumeration.empty() || node.int_or_string ? kMaxRequest - 2 : longest;
}

TypePtr TypeOfText(const SchemaNode& node) {
  constexpr std::uint64_t kQuotes = 2;
  constexpr std::uint64_t kDate = 12;
  constexpr std::uint64_t kTime = 32;
  constexpr std::uint64_t kShortestTime = 21;
  constexpr std::uint64_t kShortestDuration = 3;
  if (node.format == "byte") {
    return Sized(TypeKind::kBytes,
                 node.max_length ? NotNegative(*node.max_length) : kMaxRequest - kQuotes, kQuotes);
  }
  if (node.format == "duration") return Sized(TypeKind::kDuration, kTime, kShortestDuration);
  if (node.format == "date") return Sized(TypeKind::kTimestamp, kDate, kDate);
  if (node.format == "date-time") return Sized(TypeKind::kTimestamp, kTime, kShortestTime);
  return Sized(TypeKind::kString, LongestText(node), kQuotes);
}

TypePtr TypeOfList(const SchemaNode& node) {
  if (node.items == nullptr || node.items->declared_type == nullptr) return nullptr;
  auto type = std::make_shared<cel::Type>(*cel::ListOf(node.items->declared_type));
  type->min_json = 2;
  type->max_size = node.max_items ? NotNegative(*node.max_items)
                                  : (kMaxRequest - 2) / (node.items->declared_type->min_json + 1);
  if (node.list_type == ListType::kSet) type->order = cel::ListOrder::kSet;
  if (node.list_type == ListType::kMap) {
    type->order = cel::ListOrder::kKeys;
    type->keys = node.map_keys;
  }
  return type;
}

// The metadata of a whole object: rules see its name and the beginning of it.
TypePtr TypeOfMetadata() {
  const TypePtr text = Sized(TypeKind::kString, kMaxRequest - 2, 2);
  return cel::ObjectOf("metadata",
                       {{"name", "name", text}, {"generateName", "generateName", text}});
}

TypePtr TypeOfObject(const SchemaNode& node, bool root, std::string name) {
  if (node.additional != nullptr && node.properties.empty()) {
    if (node.additional->declared_type == nullptr) return nullptr;
    auto type = std::make_shared<cel::Type>(
        *cel::MapOf(Plain(TypeKind::kString), node.additional->declared_type));
    type->min_json = 2;
    // An entry needs quotes, a key, a colon and a comma.
    type->max_size = node.max_properties
                         ? NotNegative(*node.max_properties)
                         : (kMaxRequest - 2) / (node.additional->declared_type->min_json + 6);
    return type;
  }
  std::vector<cel::Field> fields;
  std::uint64_t min_json = 2;
  const auto is_own = [&](std::string_view field) {
    return root && (field == "apiVersion" || field == "kind" || field == "metadata");
  };
  for (std::size_t i = 0; i < node.names.size(); ++i) {
    const TypePtr& type = node.properties[i].declared_type;
    std::string escaped = cel::EscapedName(node.names[i]);
    if (type == nullptr || is_own(node.names[i])) continue;
    if (std::ranges::find(node.required, node.names[i]) != node.required.end() &&
        !node.properties[i].default_value) {
      min_json += node.names[i].size() + type->min_json + 4;
    }
    if (escaped.empty()) continue;
    fields.push_back({std::move(escaped), node.names[i], type});
  }
  if (root) {
    const TypePtr text = Sized(TypeKind::kString, kMaxRequest - 2, 2);
    fields.push_back({"apiVersion", "apiVersion", text});
    fields.push_back({"kind", "kind", text});
    fields.push_back({"metadata", "metadata", TypeOfMetadata()});
  }
  auto type = std::make_shared<cel::Type>(*cel::ObjectOf(std::move(name), std::move(fields)));
  type->min_json = min_json;
  return type;
}

void CompileMessage(const std::string& text, const cel::Environment& environment,
                    ValidationRule& rule) {
  if (text.empty()) return;
  cel::Compiled compiled = cel::Program::Compile(text, environment);
  if (compiled.program == nullptr) {
    rule.message_error = (compiled.fails ? "messageExpression instantiation failed: "
                                         : "messageExpression compilation failed: ") +
                         compiled.error;
  } else if (compiled.program->type().kind != TypeKind::kString) {
    rule.message_error = "messageExpression must evaluate to a string";
  } else {
    rule.message_program = std::move(compiled.program);
  }
}

ValidationRule Compile(const json::Value& source, const SchemaNode& node, const TypePtr& type) {
  ValidationRule rule;
  const std::string& text = source["rule"].StringOrEmpty();
  const std::string& message = source["message"].StringOrEmpty();
  rule.message = Trimmed(message);
  rule.shown = message.empty() ? Trimmed(text) : rule.message;
  rule.reason = source["reason"].StringOrEmpty();
  rule.optional_old_self = source["optionalOldSelf"].AsBool();
  if (const std::string& path = source["fieldPath"].StringOrEmpty(); !path.empty()) {
    rule.field_path = RuleFieldPath(path, node).value_or(std::string());
  }
  if (Trimmed(text).empty() || type == nullptr) return rule;
  cel::Environment environment;
  environment.variables.push_back({"self", type});
  environment.variables.push_back(
      {"oldSelf", rule.optional_old_self.value_or(false) ? cel::OptionalOf(type) : type});
  cel::Compiled compiled = cel::Program::Compile(text, environment);
  if (compiled.program == nullptr) {
    rule.error = (compiled.fails ? "program instantiation failed: " : "compilation failed: ") +
                 compiled.error;
    return rule;
  }
  if (compiled.program->type().kind != TypeKind::kBool) {
    rule.error = "cel expression must evaluate to a bool";
    return rule;
  }
  rule.uses_old_self = compiled.program->Uses(kOldSelf);
  rule.program = std::move(compiled.program);
  CompileMessage(source["messageExpression"].StringOrEmpty(), environment, rule);
  return rule;
}

// Reads a text in single quotes with its escapes; nullopt if it is none.
std::optional<std::string> Unquoted(std::string_view quoted) {
  constexpr std::string_view kNames = "abfnrtv'\\";
  constexpr std::string_view kSigns = "\a\b\f\n\r\t\v'\\";
  if (quoted.size() < 2 || quoted.front() != '\'' || quoted.back() != '\'') return std::nullopt;
  quoted = quoted.substr(1, quoted.size() - 2);
  std::string out;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      out += quoted[i];
      continue;
    }
    if (++i >= quoted.size()) return std::nullopt;
    const std::size_t at = kNames.find(quoted[i]);
    if (at == std::string_view::npos) return std::nullopt;
    out += kSigns[at];
  }
  return out;
}

}  // namespace

bool HasValidationRules(const json::Value& schema, std::size_t depth) {
  if (depth > kMaxSchemaDepth || !schema.is_object()) return false;
  if (schema[kValidationRules].size() > 0) return true;
  const auto has = [&](const json::Value& child) { return HasValidationRules(child, depth + 1); };
  return has(schema["items"]) || has(schema["additionalProperties"]) ||
         std::ranges::any_of(schema["properties"].members(),
                             [&](const auto& member) { return has(member.second); });
}

TypePtr IntOrString(const SchemaNode& node) {
  auto type = std::make_shared<internal::cel::Type>(*Sized(TypeKind::kDyn, LongestText(node), 1));
  type->int_or_string = true;
  return type;
}

TypePtr DeclaredType(const SchemaNode& node, bool root, std::string name) {
  if (node.int_or_string) return IntOrString(node);
  switch (root ? SchemaType::kObject : node.type) {
    case SchemaType::kArray:
      return TypeOfList(node);
    case SchemaType::kObject:
      return TypeOfObject(node, root, std::move(name));
    case SchemaType::kString:
      return TypeOfText(node);
    case SchemaType::kInteger:
      return Plain(TypeKind::kInt);
    case SchemaType::kNumber:
      return Plain(TypeKind::kDouble);
    case SchemaType::kBoolean:
      return Sized(TypeKind::kBool, 0, 4);
    case SchemaType::kAny:
      break;
  }
  return nullptr;
}

std::unique_ptr<const RuleSet> CompileRules(const json::Value& schema, const SchemaNode& node,
                                            TypePtr type) {
  const json::Value& rules = schema[kValidationRules];
  if (rules.size() == 0) return nullptr;
  auto set = std::make_unique<RuleSet>();
  for (const json::Value& rule : rules.items()) {
    set->rules.push_back(Compile(rule, node, type));
  }
  set->type = std::move(type);
  return set;
}

std::optional<std::string> RuleFieldPath(std::string_view path, const SchemaNode& node) {
  const SchemaNode* at = &node;
  std::string out;
  while (!path.empty()) {
    std::string name;
    if (path.front() == '.') {
      path.remove_prefix(1);
      const std::size_t end = std::min(path.find_first_of(".[]"), path.size());
      name = path.substr(0, end);
      path.remove_prefix(end);
    } else if (path.front() == '[') {
      path.remove_prefix(1);
      std::size_t end = path.find('\'', 1);
      while (end != std::string_view::npos && path[end - 1] == '\\') end = path.find('\'', end + 1);
      if (end == std::string_view::npos || end + 1 >= path.size() || path[end + 1] != ']') {
        return std::nullopt;
      }
      auto unquoted = Unquoted(path.substr(0, end + 1));
      if (!unquoted) return std::nullopt;
      name = *std::move(unquoted);
      path.remove_prefix(end + 2);
    } else {
      return std::nullopt;
    }
    if (name.empty()) return std::nullopt;
    if (!at->properties.empty()) {
      at = at->FindProperty(name);
      if (at == nullptr) return std::nullopt;
      out += (out.empty() ? "" : ".") + name;
    } else if (at->additional != nullptr) {
      at = at->additional.get();
      out += "[" + name + "]";
    } else {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace kinformer::apiserver
