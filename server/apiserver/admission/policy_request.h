// apiserver/admission/policy_request.h
//
// Policies that match a request, with their bindings, and what their expressions see.

#ifndef KINFORMER_APISERVER_ADMISSION_POLICY_REQUEST_H_
#define KINFORMER_APISERVER_ADMISSION_POLICY_REQUEST_H_

#include <string>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/admission/admission_policy.h"
#include "apiserver/admission/admission_review.h"
#include "apiserver/admission/parsed_store.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// A policy that matches a request, with the resource and version that its rules name, and those of
// its bindings that match.
struct PolicyQuestion {
  AdmissionPolicyPtr policy{};
  ResourceAt at{};
  std::vector<PolicyBindingPtr> bindings{};
};

// Stored policies and bindings of one kind. Loop-confined.
class PolicyStore {
 public:
  // `state` must outlive it. The names are plurals.
  PolicyStore(ServerState& state, const char* policies, const char* bindings,
              ParsedStore<AdmissionPolicy>::Parse parse);

  // Returns whether there are policies with bindings. Cheap check before the costlier calls.
  [[nodiscard]] bool Any() const { return policies_.Any() && bindings_.Any(); }
  // Returns the policies that match the request, by name.
  [[nodiscard]] std::vector<PolicyQuestion> Concerned(const AdmissionAttributes& attributes);

 private:
  ServerState& state_;
  ParsedStore<AdmissionPolicy> policies_;
  ParsedStore<PolicyBinding> bindings_;
};

// Returns the name of the object, or the beginning of its name if that is generated, as refusals
// show it.
std::string NameShown(const AdmissionAttributes& attributes);

// Returns the namespace of the request as expressions see it; null for cluster-scoped objects.
json::Value NamespaceShown(const ServerState& state, const AdmissionAttributes& attributes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_POLICY_REQUEST_H_
