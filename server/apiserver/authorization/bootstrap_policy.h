// apiserver/authorization/bootstrap_policy.h
//
// Roles and bindings that a real API server creates itself when it authorizes by RBAC.

#ifndef KINFORMER_APISERVER_AUTHORIZATION_BOOTSTRAP_POLICY_H_
#define KINFORMER_APISERVER_AUTHORIZATION_BOOTSTRAP_POLICY_H_

#include <span>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// ---- Data, as of kube-apiserver 1.37. `rules`, separated by semicolons:
// "verbs groups resources [names]" or "verbs paths", with commas between several. "read" and
// "write" are the usual verbs, "core" is the group without a name.
struct BootstrapRole {
  std::string_view name;
  std::string_view aggregates_to;  // "admin", "edit", "view"; empty: none
  std::string_view rules;
};
// A role system:controller:NAME, bound to the service account kube-system/NAME.
struct ControllerRole {
  std::string_view name;
  std::string_view rules;
};
std::span<const BootstrapRole> BootstrapRoles();
std::span<const ControllerRole> ControllerRoles();

// ---- Objects made from it.
struct PolicyObject {
  std::string_view resource{};  // "clusterroles", ...
  json::Value object{};
};
// Returns them in the order of creation. The rules of admin, edit and view are empty: they are
// aggregated.
std::vector<PolicyObject> BootstrapPolicy();

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_AUTHORIZATION_BOOTSTRAP_POLICY_H_
