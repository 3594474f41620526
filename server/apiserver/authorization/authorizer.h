// apiserver/authorization/authorizer.h
//
// Authorizer: decides who may do what, by the stored roles and bindings, and what kubelets may by
// what their nodes need.

#ifndef KINFORMER_APISERVER_AUTHORIZATION_AUTHORIZER_H_
#define KINFORMER_APISERVER_AUTHORIZATION_AUTHORIZER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/authorization/node_authorizer.h"
#include "apiserver/authorization/policy_rule.h"
#include "apiserver/authorization/rbac_policy.h"
#include "apiserver/registry/user_info.h"

namespace kinformer::apiserver {

struct AccessDecision {
  bool allowed = false;
  std::string reason{};  // may be empty
};

// The rules that apply to a user, and the roles that were not found, as one text.
struct AccessRules {
  PolicyRules rules{};
  std::string error{};
  bool incomplete = false;  // there may be more
};

// Loop-confined. Members of system:masters may do everything; everybody may read /healthz, /livez
// and /readyz.
// Counterpart: the RBAC authorizer of kube-apiserver.
class Authorizer {
 public:
  // `for_nodes`: kubelets have the rights of their nodes, without a binding.
  explicit Authorizer(bool for_nodes)
      : nodes_(for_nodes ? std::make_unique<NodeAuthorizer>() : nullptr) {}

  [[nodiscard]] RbacPolicy& policy() { return policy_; }
  [[nodiscard]] const RbacPolicy& policy() const { return policy_; }

  // Null unless it is for nodes.
  [[nodiscard]] NodeRelations* node_relations() {
    return nodes_ == nullptr ? nullptr : &nodes_->relations();
  }

  [[nodiscard]] AccessDecision Decide(const UserInfo& user,
                                      const AccessAttributes& attributes) const;
  // Fails with the 403 of kube-apiserver. `made`, if given, receives the decision.
  [[nodiscard]] Result<void> Check(const UserInfo& user, const AccessAttributes& attributes,
                                   AccessDecision* made = nullptr) const;
  [[nodiscard]] AccessRules RulesFor(const UserInfo& user, std::string_view namespace_) const;

 private:
  RbacPolicy policy_;
  const std::unique_ptr<NodeAuthorizer> nodes_;
};

[[nodiscard]] bool IsIn(const UserInfo& user, std::string_view group);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_AUTHORIZATION_AUTHORIZER_H_
