#include "apiserver/schema/rule_check.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/schema/rule_costs.h"
#include "apiserver/schema/rule_set.h"
#include "apiserver/schema/schema_validation.h"
#include "apiserver/schema/structural_schema.h"
#include "apiserver/schema/validation_rules.h"

namespace kinformer::apiserver {
namespace {

using json::Value;
using Causes = std::vector<StatusCause>;

constexpr std::string_view kRules = kValidationRules;

const std::string& Text(const Value& rule, std::string_view name) {
  return rule[name].StringOrEmpty();
}
std::string Member(const std::string& field, std::string_view name) {
  return field + "." + std::string(name);
}
std::string Property(const std::string& field, std::string_view name) {
  return field + ".properties[" + std::string(name) + "]";
}
// Returns the field of a rule.
std::string Item(const std::string& field, std::size_t index) {
  return Member(field, kRules) + "[" + std::to_string(index) + "]";
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

bool HasLineBreak(std::string_view text) {
  return text.find_first_of("\n\r") != std::string_view::npos;
}

void CheckForm(const Value& rule, const SchemaNode& node, const std::string& field,
               Causes& causes) {
  const std::string& message = Text(rule, "message");
  const std::string& path = Text(rule, "fieldPath");
  const std::string& reason = Text(rule, "reason");
  const auto invalid = [&](std::string_view name, std::string_view detail) {
    causes.push_back(InvalidValue(Member(field, name), GoQuoted(Text(rule, name)), detail));
  };
  const std::string_view text = Trimmed(Text(rule, "rule"));
  if (text.empty()) {
    causes.push_back(Required(Member(field, "rule"), "rule is not specified"));
  } else if (!message.empty() && Trimmed(message).empty()) {
    invalid("message", "must be non-empty if specified");
  } else if (HasLineBreak(Trimmed(message))) {
    invalid("message", "must not contain line breaks");
  } else if (HasLineBreak(text) && message.empty()) {
    causes.push_back(Required(Member(field, "message"),
                              "message must be specified if rule contains line breaks"));
  }
  const std::string& expression = Text(rule, "messageExpression");
  if (!expression.empty() && Trimmed(expression).empty()) {
    causes.push_back(Required(Member(field, "messageExpression"),
                              "messageExpression must be non-empty if specified"));
  }
  constexpr std::array<std::string_view, 4> kReasons = {
      "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"};
  if (!rule["reason"].is_null() && std::ranges::find(kReasons, reason) == kReasons.end()) {
    causes.push_back(NotSupported(Member(field, "reason"), reason,
                                  R"("FieldValueDuplicate", "FieldValueForbidden", )"
                                  R"("FieldValueInvalid", "FieldValueRequired")"));
  }
  if (path.empty()) return;
  if (Trimmed(path).empty()) invalid("fieldPath", "must be non-empty if specified");
  if (HasLineBreak(path)) invalid("fieldPath", "must not contain line breaks");
  if (!RuleFieldPath(path, node)) invalid("fieldPath", "must be a valid path");
}

// Returns a rule as causes show it.
std::string RuleText(const Value& rule) {
  const auto optional = [&](std::string_view name) { return rule[name]; };
  return Value::MakeObject({{"Rule", Text(rule, "rule")},
                            {"Message", Text(rule, "message")},
                            {"MessageExpression", Text(rule, "messageExpression")},
                            {"Reason", optional("reason")},
                            {"FieldPath", Text(rule, "fieldPath")},
                            {"OptionalOldSelf", optional("optionalOldSelf")}})
      .Dump();
}

class Expressions {
 public:
  Expressions(Causes& causes, bool costs) : causes_(causes), costs_(costs) {}

  void CheckAll(const Value& schema, const SchemaNode& node, const std::string& field) {
    Check(schema, node, field, {}, 1);
    costs_.CheckSum(field, causes_);
  }

 private:
  // `apart`: the list around the value whose items cannot be told apart, so that there is no
  // oldSelf; empty if there is none.
  void Check(const Value& schema, const SchemaNode& node, const std::string& field,
             const std::string& apart, const Cardinality& cardinality) {
    if (!node.has_rules || AreEnough(causes_)) return;
    const Cardinality inside = CardinalityInside(schema, cardinality);
    for (const auto& [name, property] : schema["properties"].members()) {
      if (const SchemaNode* const child = node.FindProperty(name)) {
        Check(property, *child, Property(field, name), apart, inside);
      }
    }
    if (node.additional != nullptr) {
      Check(schema["additionalProperties"], *node.additional, Member(field, "additionalProperties"),
            apart, inside);
    }
    if (node.items != nullptr) {
      Check(schema["items"], *node.items, Member(field, "items"),
            node.list_type == ListType::kMap ? apart : field, inside);
    }
    if (node.rules != nullptr) CheckRules(schema[kRules], *node.rules, field, apart, cardinality);
  }

  void CheckRules(const Value& rules, const RuleSet& set, const std::string& field,
                  const std::string& apart, const Cardinality& cardinality) {
    if (set.type == nullptr) {
      causes_.push_back(
          {.reason = "InternalError",
           .message = "Internal error: internal error: failed to construct type information for "
                      "x-kubernetes-validations rules: unable to convert structural schema to CEL "
                      "declarations",
           .field = Member(field, kRules)});
      return;
    }
    for (std::size_t i = 0; i < set.rules.size() && !AreEnough(causes_); ++i) {
      const ValidationRule& rule = set.rules[i];
      const std::string at = Item(field, i);
      if (rule.program != nullptr) {
        costs_.AddRule(*rule.program, *set.type, cardinality, Member(at, "rule"), causes_);
      }
      if (!rule.error.empty()) {
        causes_.push_back(InvalidValue(Member(at, "rule"), RuleText(rules[i]), rule.error));
      }
      if (!rule.message_error.empty()) {
        causes_.push_back(
            InvalidValue(Member(at, "messageExpression"), RuleText(rules[i]), rule.message_error));
      }
      if (rule.message_program != nullptr) {
        costs_.AddMessage(*rule.message_program, *set.type, Member(at, "messageExpression"),
                          causes_);
      }
      if (rule.uses_old_self && !apart.empty()) {
        causes_.push_back(InvalidValue(
            Member(at, "rule"), GoQuoted(Text(rules[i], "rule")),
            "oldSelf cannot be used on the uncorrelatable portion of the schema within " + apart));
      } else if (!rule.uses_old_self && rule.optional_old_self) {
        causes_.push_back(InvalidValue(Member(at, "optionalOldSelf"),
                                       *rule.optional_old_self ? "true" : "false",
                                       "may not be set if oldSelf is not used in rule"));
      }
    }
  }

  Causes& causes_;
  RuleCosts costs_;
};

}  // namespace

void CheckRuleForms(const Value& schema, const std::string& field, Causes& causes) {
  const json::Array& rules = schema[kRules].items();
  const bool paths = std::ranges::any_of(
      rules, [](const Value& rule) { return !Text(rule, "fieldPath").empty(); });
  const SchemaNode node = paths ? StructuralSchema::Parse(schema) : SchemaNode();
  for (std::size_t i = 0; i < rules.size() && !AreEnough(causes); ++i) {
    CheckForm(rules[i], node, Item(field, i), causes);
  }
}

void CheckExpressions(const Value& schema, const SchemaNode& node, const std::string& field,
                      bool costs, Causes& causes) {
  Expressions(causes, costs).CheckAll(schema, node, field);
}

}  // namespace kinformer::apiserver
