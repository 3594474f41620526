// apiserver/authorization/policy_rule.h
//
// PolicyRule: a rule of a Role or ClusterRole, and what it allows.

#ifndef KINFORMER_APISERVER_AUTHORIZATION_POLICY_RULE_H_
#define KINFORMER_APISERVER_AUTHORIZATION_POLICY_RULE_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Attributes of a wanted access. The views are those of the request or review.
// Counterpart: authorizer.AttributesRecord.
struct AccessAttributes {
  bool is_resource = true;
  std::string_view verb{};
  // For resources.
  std::string_view group{};
  std::string_view resource{};
  std::string_view subresource{};
  std::string_view namespace_{};
  std::string_view name{};
  // The node that a field selector of a list, watch or deletecollection asks for (spec.nodeName).
  std::string_view selected_node{};
  // For everything else: "/metrics".
  std::string_view path{};
};

// Counterpart: rbac/v1 PolicyRule.
struct PolicyRule {
  std::vector<std::string> verbs{};
  std::vector<std::string> groups{};
  std::vector<std::string> resources{};
  std::vector<std::string> names{};
  std::vector<std::string> paths{};  // nonResourceURLs

  [[nodiscard]] bool Allows(const AccessAttributes& attributes) const;
  // Returns whether this rule allows all that `part` does, which has one verb and at most one
  // group, resource, name or path.
  [[nodiscard]] bool Covers(const PolicyRule& part) const;
  // Returns `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`.
  [[nodiscard]] std::string Text() const;
  bool operator==(const PolicyRule&) const = default;
};

using PolicyRules = std::vector<PolicyRule>;

// Parses the member `rules` of a role; absent members are empty.
PolicyRules RulesOf(const json::Value& role);
json::Value ToJson(const PolicyRule& rule);

// Returns the rights in `wanted` that no rule in `held` covers, as sorted texts, which name several
// verbs of one resource together. Empty: all are covered.
std::vector<std::string> MissingRights(const PolicyRules& held, const PolicyRules& wanted);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_AUTHORIZATION_POLICY_RULE_H_
