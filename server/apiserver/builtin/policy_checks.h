// apiserver/builtin/policy_checks.h
//
// Validation of admission policies and their bindings. Counterpart: the validation of Kubernetes'
// internal package apis/admissionregistration.

#ifndef KINFORMER_APISERVER_BUILTIN_POLICY_CHECKS_H_
#define KINFORMER_APISERVER_BUILTIN_POLICY_CHECKS_H_

#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Return the problems, except for missing members. Expressions are compiled.
std::vector<StatusCause> ValidateValidatingPolicy(const json::Value& policy);
std::vector<StatusCause> ValidateValidatingBinding(const json::Value& binding);
std::vector<StatusCause> ValidateMutatingPolicy(const json::Value& policy);
std::vector<StatusCause> ValidateMutatingBinding(const json::Value& binding);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_POLICY_CHECKS_H_
