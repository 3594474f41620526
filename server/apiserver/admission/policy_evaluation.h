// apiserver/admission/policy_evaluation.h
//
// EvaluatePolicy: what a validating policy says of a request. Counterpart: the package
// admission/plugin/policy/validating of k8s.io/apiserver.

#ifndef KINFORMER_APISERVER_ADMISSION_POLICY_EVALUATION_H_
#define KINFORMER_APISERVER_ADMISSION_POLICY_EVALUATION_H_

#include <cstddef>
#include <string>
#include <vector>

#include "apiserver/admission/admission_policy.h"
#include "apiserver/expressions/expression_run.h"

namespace kinformer::apiserver {

// A refusal.
struct PolicyDenial {
  std::string message{};
  std::string reason{};   // empty: Invalid
  std::size_t index = 0;  // of the validation
};

// A value for the audit log.
struct AnnotatedValue {
  std::string key{};
  std::string value{};
};

struct PolicyDecisions {
  // Refusals by validations, which the actions of the binding are about, and by audit annotations
  // that have failed, which refuse in any case.
  std::vector<PolicyDenial> denials{};
  std::vector<PolicyDenial> annotation_failures{};
  std::vector<AnnotatedValue> annotations{};
};

// Thread-safe if the policy does not ask the authorizer.
PolicyDecisions EvaluatePolicy(const AdmissionPolicy& policy, const ExpressionInput& input);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_POLICY_EVALUATION_H_
