#include "cel/program.h"

#include <algorithm>
#include <utility>

#include "cel/cost_estimate.h"
#include "cel/evaluator.h"
#include "cel/parser.h"
#include "cel/validators.h"

namespace kinformer::internal::cel {

Program::Program(std::unique_ptr<const Node> root, Checked checked, std::vector<Variable> variables)
    : root_(std::move(root)), checked_(std::move(checked)), variables_(std::move(variables)) {}

Compiled Program::Compile(std::string_view text, const Environment& environment) {
  std::vector<Problem> problems;
  std::unique_ptr<Node> root = Parse(text, problems);
  Checked checked;
  if (root != nullptr) checked = Check(*root, environment, problems);
  if (problems.empty()) Validate(*root, problems);
  if (!problems.empty()) return {.error = ProblemText(text, std::move(problems))};
  if (std::string error = FailedConversion(*root); !error.empty()) {
    return {.error = std::move(error), .fails = true};
  }
  return {.program = std::shared_ptr<const Program>(
              new Program(std::move(root), std::move(checked), environment.variables))};
}

std::uint64_t Program::MaxCost(const Type& self) const {
  return EstimatedCost(*root_, self, variables_.size());
}

Outcome Program::Evaluate(std::span<const Value> values, std::uint64_t budget) const {
  Evaluation evaluation(checked_.slots, budget);
  const std::size_t count = std::min(values.size(), variables_.size());
  for (std::size_t i = 0; i < count; ++i) evaluation.Set(i, values[i]);
  Value value = evaluation.Run(*root_);
  return {.value = std::move(value), .cost = evaluation.cost()};
}

}  // namespace kinformer::internal::cel
