// apiserver/admission/admission.h
//
// Admission: asks policies and webhooks about write requests. Policies come first, as in
// kube-apiserver.

#ifndef KINFORMER_APISERVER_ADMISSION_ADMISSION_H_
#define KINFORMER_APISERVER_ADMISSION_ADMISSION_H_

#include <memory>

#include "apiserver/admission/admission_question.h"
#include "apiserver/admission/admission_review.h"
#include "apiserver/admission/admission_webhooks.h"
#include "apiserver/admission/policy_request.h"
#include "apiserver/admission/versioned_objects.h"
#include "apiserver/request/async.h"

namespace kinformer::apiserver {

// Loop-confined.
class Admission {
 public:
  explicit Admission(const AdmissionParts& parts);

  // Returns whether anybody is to be asked in that phase. Cheap check before the costlier calls.
  [[nodiscard]] bool Any(AdmissionPhase phase) const;

  // Asks those that match the request. Completes at once if nobody does.
  [[nodiscard]] Task<AdmissionOutcome> Ask(AdmissionPhase phase,
                                           std::shared_ptr<AdmissionAttributes> attributes);

 private:
  Task<AdmissionOutcome> Mutate(std::shared_ptr<AdmissionAttributes> attributes);
  Task<AdmissionOutcome> Validate(std::shared_ptr<AdmissionAttributes> attributes);
  [[nodiscard]] bool HasPolicies(AdmissionPhase phase) const;

  const AdmissionParts parts_;
  AdmissionWebhooks webhooks_;
  PolicyStore mutating_;
  PolicyStore validating_;
  // MutatingAdmissionPolicy and ValidatingAdmissionPolicy are on.
  const bool mutates_;
  const bool validates_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_ADMISSION_H_
