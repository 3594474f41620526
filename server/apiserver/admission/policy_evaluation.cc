#include "apiserver/admission/policy_evaluation.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "apiserver/expressions/match_condition.h"
#include "cel/value.h"

namespace kinformer::apiserver {
namespace {

namespace cel = internal::cel;

constexpr std::size_t kMaxMessage = std::size_t{5} << 10;
constexpr std::size_t kMaxAnnotation = std::size_t{10} << 10;

// Returns a message that can be shown; empty if it cannot.
std::string_view Presentable(const Evaluated& message) {
  if (!message.error.empty() || !message.value.is(cel::ValueKind::kString)) return {};
  const std::string_view text = Trimmed(message.value.text());
  if (text.size() > kMaxMessage || text.find('\n') != std::string_view::npos) return {};
  return text;
}

class Evaluator {
 public:
  Evaluator(const AdmissionPolicy& policy, const ExpressionInput& input)
      : policy_(policy), input_(input), without_authorizer_(input) {
    without_authorizer_.access = nullptr;
  }

  PolicyDecisions All() {
    const ConditionsMet met = AreMet(policy_.conditions, input_, policy_.ignores);
    if (!met.error.empty()) return Failed(met.error);
    if (!met.met) return {};
    if (!Validate() || !Annotate()) return Failed(std::string(kOutOfBudget));
    return std::move(out_);
  }

 private:
  // Returns what remains if the policy cannot be evaluated.
  [[nodiscard]] PolicyDecisions Failed(std::string why) const {
    PolicyDecisions failed;
    if (!policy_.ignores) failed.denials.push_back({.message = std::move(why)});
    return failed;
  }

  // Evaluates the validations. Returns false if the budget is used up.
  bool Validate() {
    ExpressionRun run(input_, policy_.variables, kPolicyBudget);
    std::vector<Evaluated> results;
    for (const PolicyValidation& validation : policy_.validations) {
      std::optional<Evaluated> result = run.Evaluate(validation.expression);
      if (!result) return false;
      results.push_back(*std::move(result));
    }
    ExpressionRun messages(without_authorizer_, policy_.variables, run.budget());
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!results[i].error.empty()) {
        if (!policy_.ignores) {
          out_.denials.push_back({.message = std::move(results[i].error), .index = i});
        }
      } else if (!results[i].value.is_true()) {
        Deny(i, messages);
      }
    }
    return true;
  }

  void Deny(std::size_t index, ExpressionRun& messages) {
    const PolicyValidation& validation = policy_.validations[index];
    std::string message;
    if (validation.message_expression) {
      const std::optional<Evaluated> said = messages.Evaluate(*validation.message_expression);
      if (!said) {
        if (policy_.ignores) return;
        out_.denials.push_back(
            {.message = "failed messageExpression: " + std::string(kOutOfBudget), .index = index});
        return;
      }
      message = Presentable(*said);
    }
    if (message.empty()) message = validation.message;
    if (message.empty()) {
      message = "failed expression: " + std::string(Trimmed(validation.expression.text));
    }
    out_.denials.push_back(
        {.message = std::move(message), .reason = validation.reason, .index = index});
  }

  // Evaluates the audit annotations, whose failures refuse the request.
  bool Annotate() {
    ExpressionRun run(without_authorizer_, policy_.variables, kPolicyBudget);
    for (const PolicyAnnotation& annotation : policy_.annotations) {
      std::optional<Evaluated> value = run.Evaluate(annotation.expression);
      if (!value) return false;
      if (value->error.empty()) {
        TakeAnnotation(annotation.key, value->value);
      } else if (!policy_.ignores) {
        out_.annotation_failures.push_back({.message = std::move(value->error)});
      }
    }
    return true;
  }

  void TakeAnnotation(const std::string& key, const cel::Value& value) {
    if (!value.is(cel::ValueKind::kString)) return;
    const std::string_view text = Trimmed(value.text()).substr(0, kMaxAnnotation);
    if (!text.empty()) out_.annotations.push_back({.key = key, .value = std::string(text)});
  }

  const AdmissionPolicy& policy_;
  const ExpressionInput& input_;
  ExpressionInput without_authorizer_;
  PolicyDecisions out_{};
};

}  // namespace

PolicyDecisions EvaluatePolicy(const AdmissionPolicy& policy, const ExpressionInput& input) {
  return Evaluator(policy, input).All();
}

}  // namespace kinformer::apiserver
