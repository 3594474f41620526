// apiserver/admission/validating_policies.h
//
// ValidateByPolicies: applies ValidatingAdmissionPolicies to a request. Counterpart: the admission
// plugin ValidatingAdmissionPolicy of kube-apiserver.

#ifndef KINFORMER_APISERVER_ADMISSION_VALIDATING_POLICIES_H_
#define KINFORMER_APISERVER_ADMISSION_VALIDATING_POLICIES_H_

#include <memory>
#include <vector>

#include "apiserver/admission/admission_question.h"
#include "apiserver/admission/admission_review.h"
#include "apiserver/admission/policy_request.h"
#include "apiserver/admission/versioned_objects.h"
#include "apiserver/request/async.h"

namespace kinformer::apiserver {

// The first refusal decides.
Task<AdmissionOutcome> ValidateByPolicies(AdmissionParts parts,
                                          std::shared_ptr<const AdmissionAttributes> attributes,
                                          std::vector<PolicyQuestion> questions);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_VALIDATING_POLICIES_H_
