// apiserver/admission/admission_policy.h
//
// AdmissionPolicy, PolicyBinding: a stored ValidatingAdmissionPolicy or
// MutatingAdmissionPolicy and its binding, compiled.

#ifndef KINFORMER_APISERVER_ADMISSION_ADMISSION_POLICY_H_
#define KINFORMER_APISERVER_ADMISSION_ADMISSION_POLICY_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"
#include "kinformer/object/label_selector.h"

#include "apiserver/admission/request_match.h"
#include "apiserver/expressions/admission_expression.h"

namespace kinformer::apiserver {

// The kind of a policy's parameters.
struct ParamKind {
  std::string group{};
  std::string version{};
  std::string kind{};
};

struct PolicyValidation {
  AdmissionExpression expression{};
  std::optional<AdmissionExpression> message_expression{};
  std::string message{};
  std::string reason{};  // empty: Invalid
};

// A value for the audit log.
struct PolicyAnnotation {
  std::string key{};
  AdmissionExpression expression{};
};

struct PolicyMutation {
  bool applies = false;  // patchType ApplyConfiguration, not JSONPatch
  AdmissionExpression expression{};
};

// Immutable. A validating policy has no mutations, and a mutating one has only those.
struct AdmissionPolicy {
  std::string name{};
  MatchResources constraints{};
  std::optional<ParamKind> params{};
  bool ignores = false;  // failurePolicy Ignore
  std::vector<PolicyVariable> variables{};
  std::vector<AdmissionExpression> conditions{};
  std::vector<PolicyValidation> validations{};
  std::vector<PolicyAnnotation> annotations{};
  std::vector<PolicyMutation> mutations{};
  bool again = false;  // reinvocationPolicy IfNeeded

  // Returns whether an expression asks the authorizer, which is loop-confined.
  [[nodiscard]] bool asks_authorizer() const;
};

using AdmissionPolicyPtr = std::shared_ptr<const AdmissionPolicy>;

// The parameters that a binding selects, by name or by labels.
struct ParamRef {
  std::string name{};
  std::string namespace_{};
  std::optional<LabelSelector> selector{};
  bool denies_missing = false;  // parameterNotFoundAction
};

// Immutable.
struct PolicyBinding {
  std::string name{};
  std::string policy{};
  std::optional<ParamRef> params{};
  std::optional<MatchResources> resources{};
  bool denies = false;
  bool warns = false;
  bool audits = false;
  json::Value actions{};  // validationActions, for the audit log
};

using PolicyBindingPtr = std::shared_ptr<const PolicyBinding>;

// Parse stored objects.
AdmissionPolicyPtr ValidatingPolicyOf(const json::Value& stored);
AdmissionPolicyPtr MutatingPolicyOf(const json::Value& stored);
PolicyBindingPtr PolicyBindingOf(const json::Value& stored);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_ADMISSION_POLICY_H_
