// apiserver/expressions/expression_run.h
//
// ExpressionRun: evaluates expressions about one request, within a common budget.

#ifndef KINFORMER_APISERVER_EXPRESSIONS_EXPRESSION_RUN_H_
#define KINFORMER_APISERVER_EXPRESSIONS_EXPRESSION_RUN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/expressions/admission_expression.h"
#include "cel/access.h"
#include "cel/value.h"

namespace kinformer::apiserver {

// Budgets, in units of cel::kCallBudget: of the conditions of a webhook or policy, and of the other
// expressions of a policy with one binding. Those of kube-apiserver.
inline constexpr std::uint64_t kConditionBudget = 2'500'000;
inline constexpr std::uint64_t kPolicyBudget = 10'000'000;

// The error of a run whose budget is used up.
inline constexpr std::string_view kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

// Values of the variables. Null where the request has no such value. All must outlive the run.
struct ExpressionInput {
  const json::Value& object;
  const json::Value& old;
  const json::Value& request;  // an AdmissionRequest
  const json::Value& namespace_object;
  const json::Value& params;
  const internal::cel::AccessChecker* access = nullptr;  // null: expressions cannot ask
  internal::cel::AccessQuestion resource{};              // of the request
};

// Exactly one of the two is set, except that `error` is empty for null.
struct Evaluated {
  internal::cel::Value value{};
  std::string error{};
};

// Thread-compatible.
class ExpressionRun {
 public:
  // `variables` must outlive it. Each is computed once, when an expression first needs it.
  ExpressionRun(const ExpressionInput& input, std::span<const PolicyVariable> variables,
                std::uint64_t budget);
  ~ExpressionRun();
  ExpressionRun(const ExpressionRun&) = delete;
  ExpressionRun& operator=(const ExpressionRun&) = delete;

  // Returns nullopt once the budget is used up. The value refers to the input and the expression.
  std::optional<Evaluated> Evaluate(const AdmissionExpression& expression);
  [[nodiscard]] std::uint64_t budget() const { return budget_; }

 private:
  class Variable;
  // Returns false if there is nothing left.
  bool Spend(std::uint64_t cost);

  std::vector<internal::cel::Value> values_{};
  std::vector<std::unique_ptr<Variable>> variables_{};
  std::uint64_t spent_on_variables_ = 0;  // during an evaluation
  std::uint64_t budget_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_EXPRESSIONS_EXPRESSION_RUN_H_
