// apiserver/expressions/match_condition.h
//
// MatchCondition: one of the matchConditions of a webhook or an admission policy. Counterpart:
// k8s.io/apiserver's package admission/plugin/webhook/matchconditions.

#ifndef KINFORMER_APISERVER_EXPRESSIONS_MATCH_CONDITION_H_
#define KINFORMER_APISERVER_EXPRESSIONS_MATCH_CONDITION_H_

#include <span>
#include <string>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/expressions/admission_expression.h"
#include "apiserver/expressions/expression_run.h"

namespace kinformer::apiserver {

// Compiles the list. `params`: the expressions may name the parameters of a policy.
std::vector<AdmissionExpression> MatchConditionsOf(const json::Value& list, bool params);

// Adds the problems of the list at `field`, except for missing members.
void CheckMatchConditions(const json::Value& list, bool params, const std::string& field,
                          std::vector<StatusCause>& causes);

struct ConditionsMet {
  bool met = false;
  std::string error{};  // the request fails if this is not empty
};
// Evaluates the conditions: all must be true. An error counts if none is false, and then only if
// failures are not ignored.
ConditionsMet AreMet(std::span<const AdmissionExpression> conditions, const ExpressionInput& input,
                     bool ignores_failures);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_EXPRESSIONS_MATCH_CONDITION_H_
