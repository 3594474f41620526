#include "cli/schema_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "cli/cpp_text.h"

namespace kinformer::cli {
namespace {

using json::Value;

// The members of FieldSchema, in their order, which braces must keep.
constexpr auto kOrder = std::to_array<std::string_view>({"member",
                                                         "name",
                                                         "omit_empty",
                                                         "description",
                                                         "required",
                                                         "nullable",
                                                         "default_value",
                                                         "no_default",
                                                         "format",
                                                         "pattern",
                                                         "values",
                                                         "minimum",
                                                         "maximum",
                                                         "exclusive_minimum",
                                                         "exclusive_maximum",
                                                         "multiple_of",
                                                         "min_length",
                                                         "max_length",
                                                         "min_items",
                                                         "max_items",
                                                         "min_properties",
                                                         "max_properties",
                                                         "list_type",
                                                         "list_map_keys",
                                                         "map_type",
                                                         "preserve_unknown_fields",
                                                         "embedded_resource",
                                                         "rule",
                                                         "each",
                                                         "extra"});

// Words of schemas, and the members that have them.
struct Word {
  std::string_view schema;
  std::string_view member;
};
constexpr auto kTexts = std::to_array<Word>({{"format", "format"},
                                             {"pattern", "pattern"},
                                             {"x-kubernetes-list-type", "list_type"},
                                             {"x-kubernetes-map-type", "map_type"}});
constexpr auto kFlags =
    std::to_array<Word>({{"nullable", "nullable"},
                         {"exclusiveMinimum", "exclusive_minimum"},
                         {"exclusiveMaximum", "exclusive_maximum"},
                         {"x-kubernetes-preserve-unknown-fields", "preserve_unknown_fields"},
                         {"x-kubernetes-embedded-resource", "embedded_resource"}});
constexpr auto kNumbers = std::to_array<Word>(
    {{"minimum", "minimum"}, {"maximum", "maximum"}, {"multipleOf", "multiple_of"}});
constexpr auto kCounts = std::to_array<Word>({{"minLength", "min_length"},
                                              {"maxLength", "max_length"},
                                              {"minItems", "min_items"},
                                              {"maxItems", "max_items"},
                                              {"minProperties", "min_properties"},
                                              {"maxProperties", "max_properties"}});
constexpr auto kRuleTexts = std::to_array<Word>({{"rule", "expression"},
                                                 {"message", "message"},
                                                 {"messageExpression", "message_expression"},
                                                 {"reason", "reason"},
                                                 {"fieldPath", "field_path"}});
// Handled by whoever knows the member.
constexpr auto kElsewhere =
    std::to_array<std::string_view>({"default", "properties", "items", "additionalProperties"});

template <class Words>
std::string_view MemberFor(const Words& words, std::string_view name) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const Word& word) { return word.schema == name; });
  return found == words.end() ? std::string_view() : found->member;
}

// Returns the initializer of a rule; nullopt if it says what SchemaRule has no word for.
std::optional<std::string> RuleText(const Value& rule) {
  std::string out;
  std::size_t said = 0;
  for (const Word& word : kRuleTexts) {
    const std::string& text = rule[word.schema].StringOrEmpty();
    if (text.empty()) continue;
    ++said;
    out += (out.empty() ? "." : ", .") + std::string(word.member) + " = " + CppLiteral(text);
  }
  if (rule["optionalOldSelf"] == Value(true)) {
    ++said;
    out += ", .optional_old_self = true";
  }
  if (said != rule.size()) return std::nullopt;
  return "{" + out + "}";
}

// Returns the number as a double has it, nullopt if it does not.
std::optional<std::string> NumberText(const Value& number) {
  constexpr double kExact = 9007199254740992.0;
  const std::optional<double> value = number.AsDouble();
  if (!value || std::abs(*value) > kExact) return std::nullopt;
  return number.NumberText();
}

// Returns the member of FieldSchema and its initializer; no member: there is no word for it.
std::pair<std::string_view, std::string> InitializerFor(std::string_view name, const Value& value) {
  if (const auto member = MemberFor(kTexts, name);
      !member.empty() && !value.StringOrEmpty().empty()) {
    return {member, CppLiteral(value.StringOrEmpty())};
  }
  if (const auto member = MemberFor(kFlags, name); !member.empty() && value == Value(true)) {
    return {member, "true"};
  }
  if (const auto member = MemberFor(kNumbers, name); !member.empty()) {
    if (const auto text = NumberText(value)) return {member, *text};
  }
  if (const auto member = MemberFor(kCounts, name); !member.empty() && value.is_integer()) {
    return {member, value.NumberText()};
  }
  if (name == "enum" || name == "x-kubernetes-list-map-keys") {
    const auto list = ListOf(value);
    if (list) return {name == "enum" ? "values" : "list_map_keys", CppLiteral(*list)};
  }
  if (name == "x-kubernetes-validations" && value.size() == 1) {
    if (const auto text = RuleText(value[0])) return {"rule", *text};
  }
  return {};
}

}  // namespace

std::optional<std::string> ListOf(const Value& texts) {
  std::string out;
  for (const Value& one : texts.items()) {
    const std::string& text = one.StringOrEmpty();
    if (text.empty() || text.front() == ' ' || text.back() == ' ' ||
        text.find(',') != std::string::npos) {
      return std::nullopt;
    }
    out += (out.empty() ? "" : ", ") + text;
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

SchemaLine::SchemaLine(std::string_view member) {
  if (!member.empty()) Set("member", CppLiteral(member));
}

void SchemaLine::Set(std::string_view name, std::string text) {
  const auto at = std::find(kOrder.begin(), kOrder.end(), name);
  set_[static_cast<int>(at - kOrder.begin())] = std::move(text);
}

void SchemaLine::SetDifference(const Value& schema, const Value& base, bool descriptions) {
  Value extra = Value::MakeObject();
  for (const auto& [name, value] : schema.members()) {
    if (std::find(kElsewhere.begin(), kElsewhere.end(), name) != kElsewhere.end() &&
        (name == "default" || base.contains(name))) {
      continue;
    }
    if (base[name] == value && base.contains(name)) continue;
    if (name == "description") {
      if (descriptions) Set("description", CppLiteral(value.StringOrEmpty()));
      continue;
    }
    auto [member, text] = InitializerFor(name, value);
    if (member.empty()) {
      extra.Set(name, value);
    } else {
      Set(member, std::move(text));
    }
  }
  for (const auto& [name, value] : base.members()) {
    if (!schema.contains(name)) extra.Set(name, Value());
  }
  if (extra.size() > 0) Set("extra", CppLiteral(extra.Dump({.escape_html = false})));
}

bool SchemaLine::empty() const {
  return set_.empty() || (set_.size() == 1 && set_.begin()->first == 0);
}

std::string SchemaLine::Text(std::string_view indent) const {
  constexpr std::size_t kColumns = 98;
  std::string line;
  std::string lines;
  for (const auto& [place, text] : set_) {
    const std::string one =
        "." + std::string(kOrder[static_cast<std::size_t>(place)]) + " = " + text;
    line += (line.empty() ? "" : ", ") + one;
    lines += (lines.empty() ? "" : ",\n" + std::string(indent) + " ") + one;
  }
  return "{" + (line.size() + indent.size() <= kColumns ? line : lines) + "}";
}

}  // namespace kinformer::cli
