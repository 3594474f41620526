#include "apiserver/expressions/expression_run.h"

#include <algorithm>
#include <utility>

#include "cel/program.h"
#include "cel/type.h"

namespace kinformer::apiserver {

namespace cel = internal::cel;

namespace {

cel::Value Dynamic(const json::Value& value) {
  return cel::Value::FromJson(value, *cel::Plain(cel::TypeKind::kDyn));
}

// Returns the text with quotes, as the errors about variables show a name, which is an identifier.
std::string Named(const std::string& name) { return "composited variable \"" + name + "\""; }

}  // namespace

class ExpressionRun::Variable final : public cel::DeferredValue {
 public:
  Variable(ExpressionRun& run, const PolicyVariable& variable) : run_(run), variable_(variable) {}

  cel::Value Get() override {
    if (!value_) value_ = Computed();
    return *value_;
  }

 private:
  cel::Value Computed() {
    const AdmissionExpression& expression = variable_.expression;
    if (expression.program == nullptr) {
      return cel::Value::Error(Named(variable_.name) + " fails to compile: " + expression.error);
    }
    cel::Outcome outcome = expression.program->Evaluate(run_.values_, cel::kCallBudget);
    run_.spent_on_variables_ += outcome.cost;
    if (!outcome.value.is_error()) return std::move(outcome.value);
    return cel::Value::Error(Named(variable_.name) +
                             " fails to evaluate: " + std::string(outcome.value.text()));
  }

  ExpressionRun& run_;
  const PolicyVariable& variable_;
  std::optional<cel::Value> value_{};
};

ExpressionRun::ExpressionRun(const ExpressionInput& input,
                             std::span<const PolicyVariable> variables, std::uint64_t budget)
    : budget_(budget) {
  values_.resize(kFixedVariables);
  values_[kObject] = Dynamic(input.object);
  values_[kOldObject] = Dynamic(input.old);
  values_[kNamespaceObject] = Dynamic(input.namespace_object);
  values_[kRequest] = Dynamic(input.request);
  values_[kParams] = Dynamic(input.params);
  for (const auto& [variable, kind] :
       {std::pair(kAuthorizer, cel::ValueKind::kAuthorizer),
        std::pair(kRequestResource, cel::ValueKind::kResourceCheck)}) {
    values_[variable] = input.access == nullptr
                            ? cel::Value::Error("no such attribute(s): authorizer")
                            : cel::Value::OfAccess(
                                  kind, {.checker = input.access,
                                         .question = variable == kAuthorizer ? cel::AccessQuestion()
                                                                             : input.resource});
  }
  for (const PolicyVariable& variable : variables) {
    variables_.push_back(std::make_unique<Variable>(*this, variable));
    values_.push_back(cel::Value::Deferred(*variables_.back()));
  }
}

ExpressionRun::~ExpressionRun() = default;

bool ExpressionRun::Spend(std::uint64_t cost) {
  const bool enough = cost <= budget_;
  budget_ -= std::min(cost, budget_);
  return enough;
}

std::optional<Evaluated> ExpressionRun::Evaluate(const AdmissionExpression& expression) {
  if (expression.program == nullptr)
    return Evaluated{.error = "compilation error: " + expression.error};
  spent_on_variables_ = 0;
  cel::Outcome outcome = expression.program->Evaluate(values_, cel::kCallBudget);
  if (!Spend(spent_on_variables_) || !Spend(outcome.cost)) return std::nullopt;
  if (!outcome.value.is_error()) return Evaluated{.value = std::move(outcome.value)};
  return Evaluated{.error = "expression '" + expression.text +
                            "' resulted in error: " + std::string(outcome.value.text())};
}

}  // namespace kinformer::apiserver
