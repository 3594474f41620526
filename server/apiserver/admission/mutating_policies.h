// apiserver/admission/mutating_policies.h
//
// MutatingPolicies: applies MutatingAdmissionPolicies to a request. Counterpart: the admission
// plugin MutatingAdmissionPolicy of kube-apiserver.

#ifndef KINFORMER_APISERVER_ADMISSION_MUTATING_POLICIES_H_
#define KINFORMER_APISERVER_ADMISSION_MUTATING_POLICIES_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/admission/admission_review.h"
#include "apiserver/admission/policy_request.h"
#include "apiserver/admission/request_access.h"
#include "apiserver/admission/versioned_objects.h"
#include "apiserver/expressions/expression_run.h"
#include "apiserver/request/async.h"

namespace kinformer::apiserver {

// Loop-confined; one call of Apply at a time.
class MutatingPolicies {
 public:
  MutatingPolicies(const AdmissionParts& parts, std::shared_ptr<AdmissionAttributes> attributes,
                   std::vector<PolicyQuestion> questions);

  // Applies the policies in turn, each to the object that the one before it has left, and replaces
  // the object of the request. Returns whether it has changed.
  Task<Result<bool>> Apply();
  // The same, once more, for those policies that have been applied and want to see the changes of
  // others (reinvocationPolicy).
  Task<Result<bool>> ApplyAgain();

 private:
  // A policy with one of its bindings and one of their parameters.
  struct Invocation {
    const PolicyQuestion* question = nullptr;
    PolicyBindingPtr binding{};
    json::Value param{};
    bool applied = false;
  };

  Task<bool> FindInvocations();
  // Applies what `again` is about, and returns the refusal or whether the object has changed.
  Task<Result<bool>> Run(bool again);
  // An error refuses the request whatever the failure policy.
  Task<Result<void>> Invoke(VersionedObjects& objects, Invocation& invocation);
  Task<Result<void>> Mutate(VersionedObjects& objects, const Invocation& invocation,
                            const PolicyMutation& mutation);
  [[nodiscard]] ExpressionInput InputOf(const ShownObjects& shown, const Invocation& invocation,
                                        const json::Value& request) const;
  // Notes an error about a policy, unless failures of the policy are ignored.
  void Note(const AdmissionPolicy& policy, const PolicyBinding* binding, const std::string& why,
            Reason reason);
  // Returns the refusal for the noted errors.
  [[nodiscard]] Error Refusal() const;

  const AdmissionParts parts_;
  const std::shared_ptr<AdmissionAttributes> attributes_;
  const std::vector<PolicyQuestion> questions_;
  const RequestAccess access_;
  const json::Value namespace_;
  std::vector<Invocation> invocations_{};
  std::vector<std::string> errors_{};
  Reason reason_ = Reason::kForbidden;  // of the first error
  std::size_t first_cost_ = 0;          // of the object before all mutations, in memory
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_MUTATING_POLICIES_H_
