// apiserver/admission/policy_params.h
//
// CollectParams: the parameters with which a binding applies its policy.

#ifndef KINFORMER_APISERVER_ADMISSION_POLICY_PARAMS_H_
#define KINFORMER_APISERVER_ADMISSION_POLICY_PARAMS_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/admission/admission_policy.h"
#include "apiserver/admission/versioned_objects.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/request/async.h"

namespace kinformer::apiserver {

// Returns the resource of a kind; empty if there is none.
[[nodiscard]] ResourceAt FindKind(const ServerState& state, const ParamKind& kind);
// Returns the problem of a policy whose parameters are of a kind that does not exist.
[[nodiscard]] std::string UnknownParamKind(const ParamKind& kind);

// Returns the parameters, each in the version of its kind; one null if there are none to use. An
// error's message says what is wrong with the binding. `namespace_`: that of the request.
Task<Result<std::vector<json::Value>>> CollectParams(AdmissionParts parts,
                                                     AdmissionPolicyPtr policy,
                                                     PolicyBindingPtr binding,
                                                     std::string namespace_);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_POLICY_PARAMS_H_
