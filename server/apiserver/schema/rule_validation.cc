#include "apiserver/schema/rule_validation.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/schema/schema_correlation.h"
#include "apiserver/schema/schema_validation.h"
#include "apiserver/schema/validation_rules.h"
#include "cel/program.h"
#include "cel/value.h"

namespace kinformer::apiserver {
namespace {

namespace cel = internal::cel;
using json::Value;

constexpr std::string_view kNoField = "<nil>";
constexpr std::size_t kMaxWarnings = 16;
constexpr std::size_t kMaxMessage = std::size_t{5} << 10;
constexpr std::string_view kBroke =
    "validation failed due to running out of cost budget, no further validation rules will be run";

// A value and the one from which it was changed: oldSelf, null if it cannot be told.
struct Place {
  const SchemaNode* schema = nullptr;
  const Value* value = nullptr;
  const Value* old = nullptr;
  const Place* around = nullptr;
};

// Returns whether the value, or the nearest part around it that can be compared, is as it was.
bool IsUnchangedAt(const Place& place) {
  const Place* at = &place;
  while (at != nullptr && at->old == nullptr) at = at->around;
  return at != nullptr && IsUnchanged(*at->schema, *at->value, *at->old);
}

// Returns a message that can be shown; empty if it cannot.
std::string_view Presentable(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  text = text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
  if (text.size() > kMaxMessage || text.find('\n') != std::string_view::npos) return {};
  return text;
}

class RuleValidator {
 public:
  explicit RuleValidator(std::string_view prefix, std::vector<std::string>* warnings = nullptr)
      : path_(prefix), warnings_(warnings) {}

  void Check(const Place& place) {
    if (!place.schema->has_rules || place.value->is_null() || broke_ || Full()) return;
    if (place.schema->rules != nullptr) CheckRules(place);
    if (place.value->is_object()) CheckMembers(place);
    if (place.value->is_array() && place.schema->items != nullptr) CheckItems(place);
  }

  std::vector<StatusCause> Take() { return std::move(causes_); }

 private:
  [[nodiscard]] bool Full() const {
    return causes_.size() >= kMaxCauses || cause_bytes_ > kMaxCauseBytes;
  }
  void Note(StatusCause cause) {
    cause_bytes_ += cause.message.size() + cause.field.size();
    causes_.push_back(std::move(cause));
  }
  [[nodiscard]] std::string Field() const { return path_.empty() ? std::string(kNoField) : path_; }
  // Reports that a rule could not be evaluated.
  void NoteError(const SchemaNode& schema, std::string_view detail) {
    Note(InvalidValue(Field(), GoQuoted(SchemaTypeName(schema.type)), detail));
  }

  void CheckMembers(const Place& place) {
    for (const auto& [name, member] : place.value->members()) {
      const SchemaNode* const property = place.schema->FindProperty(name);
      const SchemaNode* const child =
          property != nullptr ? property : place.schema->additional.get();
      if (child == nullptr || !child->has_rules) continue;
      const std::size_t length = path_.size();
      if (property == nullptr) {
        path_.append("[").append(name).append("]");
      } else {
        path_.append(path_.empty() ? "" : ".").append(name);
      }
      Check({.schema = child,
             .value = &member,
             .old = place.old == nullptr ? nullptr : place.old->Find(name),
             .around = &place});
      path_.resize(length);
    }
  }

  void CheckItems(const Place& place) {
    const SchemaNode& schema = *place.schema;
    if (!schema.items->has_rules) return;
    CorrelatedItems before;
    if (place.old != nullptr && schema.list_type == ListType::kMap) {
      before = Correlate(schema, *place.old);
    }
    const json::Array& items = place.value->items();
    for (std::size_t i = 0; i < items.size() && !broke_ && !Full(); ++i) {
      const std::size_t length = path_.size();
      path_.append("[").append(std::to_string(i)).append("]");
      const auto key = before.empty() ? std::nullopt : CorrelationKey(schema, items[i]);
      const auto found = key ? before.find(*key) : before.end();
      Check({.schema = schema.items.get(),
             .value = &items[i],
             .old = found == before.end() ? nullptr : found->second,
             .around = &place});
      path_.resize(length);
    }
  }

  void CheckRules(const Place& place) {
    const RuleSet& set = *place.schema->rules;
    if (set.type == nullptr) return;
    const bool has_old = place.old != nullptr && !place.old->is_null();
    std::array<cel::Value, 2> values;
    values[kSelf] = cel::Value::FromJson(*place.value, *set.type);
    values[kOldSelf] = has_old ? cel::Value::FromJson(*place.old, *set.type)
                               : cel::Value::Error("no such attribute(s): oldSelf");
    for (const ValidationRule& rule : set.rules) {
      if (broke_ || Full()) return;
      if (!rule.error.empty()) {
        NoteError(*place.schema, "rule compile error: " + rule.error);
        continue;
      }
      const bool optional = rule.optional_old_self.value_or(false);
      // Rules about changes need something that was changed.
      if (rule.program == nullptr || (rule.uses_old_self && !has_old && !optional)) continue;
      std::array<cel::Value, 2> given = values;
      if (optional) {
        given[kOldSelf] = has_old ? cel::Value::Some(values[kOldSelf]) : cel::Value::None();
      }
      if (!Holds(*place.schema, rule, given) && !broke_) NoteFailure(place, rule, values);
    }
  }

  // Returns whether the rule is satisfied, or an error has been reported.
  bool Holds(const SchemaNode& schema, const ValidationRule& rule,
             std::span<const cel::Value> values) {
    if (budget_ == 0) {
      NoteError(schema, kBroke);
      broke_ = true;
      return true;
    }
    const cel::Outcome outcome =
        rule.program->Evaluate(values, std::min(budget_, cel::kCallBudget));
    if (!Spend(outcome.cost) && outcome.cost <= cel::kCallBudget) {
      NoteError(schema, kBroke);
      broke_ = true;
      return true;
    }
    if (!outcome.value.is_error()) return outcome.value.is_true();
    const std::string error(outcome.value.text());
    if (error.starts_with("operation cancelled")) {
      broke_ = true;
      NoteError(schema, "'" + error +
                            "': no further validation rules will be run due to call cost "
                            "exceeds limit for rule: " +
                            rule.shown);
    } else if (error.starts_with("no such overload")) {
      NoteError(schema, "'" + error +
                            "': call arguments did not match a supported operator, "
                            "function or macro signature for rule: " +
                            rule.shown);
    } else {
      NoteError(schema, error + " evaluating rule: " + rule.shown);
    }
    return true;
  }

  // Returns false if there is nothing left.
  bool Spend(std::uint64_t cost) {
    const bool enough = cost <= budget_;
    budget_ -= std::min(cost, budget_);
    return enough;
  }

  void NoteFailure(const Place& place, const ValidationRule& rule,
                   std::span<const cel::Value> values) {
    const std::string detail = DetailOf(*place.schema, rule, values);
    if (broke_) return;
    StatusCause cause = CauseOf(place, rule, detail);
    if (rule.uses_old_self || !IsUnchangedAt(place)) return Note(std::move(cause));
    // A value that was wrong before may stay so.
    if (warnings_ != nullptr && warnings_->size() < kMaxWarnings) {
      warnings_->push_back(cause.field + ": " + cause.message);
    }
  }

  std::string DetailOf(const SchemaNode& schema, const ValidationRule& rule,
                       std::span<const cel::Value> values) {
    if (rule.message_program != nullptr) {
      const cel::Outcome outcome =
          rule.message_program->Evaluate(values, std::min(budget_, cel::kCallBudget));
      if (!Spend(outcome.cost)) {
        broke_ = true;
        NoteError(schema,
                  "messageExpression evaluation failed due to running out of cost budget, no "
                  "further validation rules will be run");
        return {};
      }
      if (outcome.value.is(cel::ValueKind::kString)) {
        const std::string_view text = Presentable(outcome.value.text());
        if (!text.empty()) return std::string(text);
      }
    }
    return rule.message.empty() ? "failed rule: " + rule.shown : rule.message;
  }

  [[nodiscard]] StatusCause CauseOf(const Place& place, const ValidationRule& rule,
                                    const std::string& detail) const {
    std::string field = path_;
    if (!rule.field_path.empty()) field.append(field.empty() ? "" : ".").append(rule.field_path);
    if (field.empty()) field = kNoField;
    if (rule.reason == "FieldValueForbidden") return ForbiddenField(std::move(field), detail);
    if (rule.reason == "FieldValueRequired") return Required(std::move(field), detail);
    const SchemaType type = place.schema->type;
    const bool whole = type == SchemaType::kObject || type == SchemaType::kArray;
    const std::string shown = whole ? std::string() : ValueText(*place.value);
    if (rule.reason == "FieldValueDuplicate") {
      return {.reason = rule.reason,
              .message = "Duplicate value" + (whole ? "" : ": " + shown),
              .field = std::move(field)};
    }
    if (!whole) return InvalidValue(std::move(field), shown, detail);
    return {.reason = "FieldValueInvalid",
            .message = "Invalid value: " + detail,
            .field = std::move(field)};
  }

  std::string path_;
  std::vector<StatusCause> causes_;
  std::size_t cause_bytes_ = 0;
  std::uint64_t budget_ = kRuleBudget;
  bool broke_ = false;  // no more rules are evaluated
  std::vector<std::string>* warnings_;
};

bool Blocks(const StatusCause& cause) {
  constexpr std::array<std::string_view, 5> kReasons = {
      "FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany",
      "FieldValueTypeInvalid"};
  return std::ranges::find(kReasons, cause.reason) != kReasons.end();
}

}  // namespace

std::vector<StatusCause> ValidateRules(const SchemaNode& schema, const Value& object,
                                       const Value* old, const std::vector<StatusCause>& causes,
                                       std::vector<std::string>& warnings) {
  if (!schema.has_rules) return {};
  if (std::ranges::any_of(causes, Blocks)) {
    return {InvalidValue(std::string(kNoField), "null",
                         "some validation rules were not checked because the object was invalid; "
                         "correct the existing errors to complete validation")};
  }
  RuleValidator validator({}, &warnings);
  validator.Check({.schema = &schema, .value = &object, .old = old});
  return validator.Take();
}

std::vector<StatusCause> ValidateRulesOfDefault(const SchemaNode& schema, const Value& value,
                                                std::string_view field) {
  RuleValidator validator(field);
  validator.Check({.schema = &schema, .value = &value});
  return validator.Take();
}

}  // namespace kinformer::apiserver
