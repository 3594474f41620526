// apiserver/authorization/rbac_policy.h
//
// RbacPolicy: the stored roles and bindings, indexed by whom they are bound to.

#ifndef KINFORMER_APISERVER_AUTHORIZATION_RBAC_POLICY_H_
#define KINFORMER_APISERVER_AUTHORIZATION_RBAC_POLICY_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/authorization/policy_rule.h"
#include "apiserver/registry/user_info.h"

namespace kinformer::apiserver {

inline constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

// Loop-confined. The cost of a question is that of the bindings of the user and of the groups it is
// in, whatever else is bound.
// Counterpart: rbac's DefaultRuleResolver.
class RbacPolicy {
 public:
  // A binding that applies to a user.
  struct Grant {
    std::string binding{};
    std::string namespace_{};  // of the binding; empty: all namespaces
    std::string role_kind{};
    std::string role{};
    std::string subject{};  // `Group "dev"`
    std::size_t place = 0;  // of the subject in the binding
    // Returns `RoleBinding "edit/default" of ClusterRole "edit" to Group "dev"`.
    [[nodiscard]] std::string Text() const;
  };

  // An object of one of the four resources was stored or removed; other resources are ignored.
  void Put(std::string_view resource, const json::Value& object);
  void Remove(std::string_view resource, std::string_view namespace_, std::string_view name);
  void Clear();

  // Returns the rules of a role; null if there is none. An empty namespace: a ClusterRole.
  [[nodiscard]] const PolicyRules* Find(std::string_view namespace_, std::string_view role) const;
  // Returns the rules of the role that a binding in the namespace refers to; null if there is none.
  [[nodiscard]] const PolicyRules* Find(std::string_view kind, std::string_view namespace_,
                                        std::string_view role) const;

  // Calls `visit` with each binding that applies to the user in the namespace, and with the rules
  // of its role, null if there is no such role; first those for all namespaces, each in the order
  // of names. `visit` returns false to end.
  using Visit = std::function<bool(const Grant& grant, const PolicyRules* rules)>;
  void ForEach(const UserInfo& user, std::string_view namespace_, const Visit& visit) const;

 private:
  // "namespace/name"; "/name" without a namespace.
  static std::string Key(std::string_view namespace_, std::string_view name);
  void Unbind(const std::string& key);

  // Bindings by subject: "u:jane", "g:dev"; shared with `bound_`.
  using BySubject = std::unordered_map<std::string, std::vector<std::shared_ptr<const Grant>>>;
  std::unordered_map<std::string, PolicyRules> roles_;  // by Key
  std::unordered_map<std::string, BySubject> grants_;   // by namespace
  std::unordered_map<std::string, std::vector<std::string>>
      bound_;  // subjects by the binding's Key
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_AUTHORIZATION_RBAC_POLICY_H_
