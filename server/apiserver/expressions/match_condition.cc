#include "apiserver/expressions/match_condition.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/schema/name_rules.h"
#include "apiserver/schema/schema_validation.h"

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMostConditions = 64;

}  // namespace

std::vector<AdmissionExpression> MatchConditionsOf(const json::Value& list, bool params) {
  std::vector<AdmissionExpression> out;
  if (list.size() == 0) return out;
  const ExpressionScope scope({.params = params});
  for (const json::Value& said : list.items()) {
    out.push_back(scope.Compile(said["expression"].StringOrEmpty(), ExpressionResult::kBool));
  }
  return out;
}

void CheckMatchConditions(const json::Value& list, bool params, const std::string& field,
                          std::vector<StatusCause>& causes) {
  if (list.size() == 0) return;
  const ExpressionScope scope({.params = params});
  if (list.size() > kMostConditions) {
    causes.push_back({.reason = "FieldValueTooMany",
                      .message = "Too many: " + std::to_string(list.size()) +
                                 ": must have at most " + std::to_string(kMostConditions) +
                                 " items",
                      .field = field});
  }
  std::set<std::string> names;
  std::size_t index = 0;
  for (const json::Value& said : list.items()) {
    if (AreEnough(causes)) return;
    const std::string at = field + "[" + std::to_string(index++) + "]";
    const std::string& sent = said["expression"].StringOrEmpty();
    const std::string_view text = Trimmed(sent);
    if (!text.empty()) {
      const AdmissionExpression compiled = scope.Compile(text, ExpressionResult::kBool);
      if (!compiled.error.empty()) {
        causes.push_back(InvalidValue(at + ".expression", GoQuoted(text), compiled.error));
      }
    } else if (!sent.empty()) {
      causes.push_back(Required(at + ".expression"));
    }
    const std::string& name = said["name"].StringOrEmpty();
    if (name.empty()) continue;
    if (!IsQualifiedName(name)) {
      causes.push_back(InvalidValue(at + ".name", GoQuoted(name), kQualifiedNameText));
    }
    if (!names.insert(name).second) {
      causes.push_back({.reason = "FieldValueDuplicate",
                        .message = "Duplicate value: " + GoQuoted(name),
                        .field = at + ".name"});
    }
  }
}

ConditionsMet AreMet(std::span<const AdmissionExpression> conditions, const ExpressionInput& input,
                     bool ignores_failures) {
  if (conditions.empty()) return {.met = true};
  ExpressionRun run(input, {}, kConditionBudget);
  bool failed = false;
  std::vector<std::string> errors;
  for (const AdmissionExpression& condition : conditions) {
    std::optional<Evaluated> evaluated = run.Evaluate(condition);
    if (!evaluated) {
      return {.error = ignores_failures ? std::string() : std::string(kOutOfBudget)};
    }
    if (!evaluated->error.empty()) {
      errors.push_back(std::move(evaluated->error));
    } else if (!evaluated->value.is_true()) {
      failed = true;
    }
  }
  if (failed || (!errors.empty() && ignores_failures)) return {};
  return {.met = errors.empty(), .error = AggregateText(errors)};
}

}  // namespace kinformer::apiserver
