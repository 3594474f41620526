// apiserver/admission/policy_patch.h
//
// PatchByPolicy: the object as a mutation of a MutatingAdmissionPolicy makes it. Counterpart: the
// package admission/plugin/policy/mutating/patch of k8s.io/apiserver.

#ifndef KINFORMER_APISERVER_ADMISSION_POLICY_PATCH_H_
#define KINFORMER_APISERVER_ADMISSION_POLICY_PATCH_H_

#include <span>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/admission/admission_policy.h"
#include "apiserver/expressions/expression_run.h"
#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

// `at`: the resource and version of the input's object, whose schema says how it is merged, unless
// the object is of another kind (`other_kind`), such as a Scale. Thread-safe if the policy does not
// ask the authorizer. An error's message is a real server's.
Result<json::Value> PatchByPolicy(const PolicyMutation& mutation,
                                  std::span<const PolicyVariable> variables,
                                  const ExpressionInput& input, const ResourceAt& at,
                                  bool other_kind);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_POLICY_PATCH_H_
