// apiserver/authorization/escalation.h
//
// CheckGrant: nobody gives others rights that they do not have themselves.

#ifndef KINFORMER_APISERVER_AUTHORIZATION_ESCALATION_H_
#define KINFORMER_APISERVER_AUTHORIZATION_ESCALATION_H_

#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/authorization/authorizer.h"

namespace kinformer::apiserver {

// A write of a role or a binding.
struct GrantRequest {
  std::string_view resource{};  // "roles", "clusterroles", "rolebindings", "clusterrolebindings"
  std::string_view namespace_{};
  std::string_view name{};  // in the URL; empty for a create
  const json::Value& object;
  const json::Value* old = nullptr;  // null for a create
};

// Succeeds if the user has all rights that the role or the binding's role gives, or the verb
// `escalate` of that role, or `bind` of the binding's role; also if only owners and finalizers
// change, so that a garbage collector can do its work. Fails with 403, or 404 for a binding of a
// role that does not exist.
[[nodiscard]] Result<void> CheckGrant(const Authorizer& authorizer, const UserInfo& user,
                                      const GrantRequest& request);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_AUTHORIZATION_ESCALATION_H_
