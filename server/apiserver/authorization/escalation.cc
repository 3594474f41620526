#include "apiserver/authorization/escalation.h"

#include <string>
#include <vector>

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

const PolicyRules& FullAuthority() {
  static const PolicyRules rules = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}},
                                    {.verbs = {"*"}, .paths = {"*"}}};
  return rules;
}

// Returns what the object says beside its kind, and what a garbage collector changes.
json::Value WithoutCollectorsFields(json::Value object) {
  object.Erase("kind");
  object.Erase("apiVersion");
  json::Value& metadata = object.Ensure("metadata");
  for (const std::string_view field :
       {"ownerReferences", "finalizers", "managedFields", "resourceVersion", "generation"}) {
    metadata.Erase(field);
  }
  return object;
}

bool Aggregates(const json::Value& role) {
  return role["aggregationRule"]["clusterRoleSelectors"].size() > 0;
}

ErrorSubject SubjectOf(const GrantRequest& request) {
  return {.group = kRbacGroup,
          .resource = request.resource,
          .name = request.object["metadata"]["name"].StringOrEmpty()};
}

// Fails unless the user has the rights.
Result<void> CheckHeld(const Authorizer& authorizer, const UserInfo& user,
                       const GrantRequest& request, const PolicyRules& wanted) {
  const AccessRules held = authorizer.RulesFor(user, request.namespace_);
  const std::vector<std::string> missing = MissingRights(held.rules, wanted);
  if (missing.empty()) return {};
  std::string why = "user " + JsonString(user.name) + " (groups=[";
  for (const std::string& group : user.groups) {
    if (&group != &user.groups.front()) why += ' ';
    why += JsonString(group);
  }
  why += "]) is attempting to grant RBAC permissions not currently held:";
  for (const std::string& right : missing) why += "\n" + right;
  if (!held.error.empty()) why += "; resolution errors: [" + held.error + "]";
  return ForbiddenError(SubjectOf(request), why);
}

Result<void> CheckRole(const Authorizer& authorizer, const UserInfo& user,
                       const GrantRequest& request) {
  const AccessAttributes escalates{.verb = "escalate",
                                   .group = kRbacGroup,
                                   .resource = request.resource,
                                   .namespace_ = request.namespace_,
                                   .name = request.name};
  if (authorizer.Decide(user, escalates).allowed) return {};
  if (Result<void> held = CheckHeld(authorizer, user, request, RulesOf(request.object)); !held) {
    return held;
  }
  if (!Aggregates(request.object) && (request.old == nullptr || !Aggregates(*request.old))) {
    return {};
  }
  if (CheckHeld(authorizer, user, request, FullAuthority())) return {};
  return ForbiddenError(SubjectOf(request),
                        "must have cluster-admin privileges to use the aggregationRule");
}

Result<void> CheckBinding(const Authorizer& authorizer, const UserInfo& user,
                          const GrantRequest& request) {
  const json::Value& role = request.object["roleRef"];
  const std::string& kind = role["kind"].StringOrEmpty();
  const std::string& name = role["name"].StringOrEmpty();
  const AccessAttributes binds{.verb = "bind",
                               .group = kRbacGroup,
                               .resource = kind == "Role" ? "roles" : "clusterroles",
                               .namespace_ = request.namespace_,
                               .name = name};
  if (authorizer.Decide(user, binds).allowed) return {};
  const PolicyRules* const rules = authorizer.policy().Find(kind, request.namespace_, name);
  if (rules == nullptr) {
    return NotFoundError({.group = kRbacGroup, .resource = request.resource, .name = name});
  }
  return CheckHeld(authorizer, user, request, *rules);
}

}  // namespace

Result<void> CheckGrant(const Authorizer& authorizer, const UserInfo& user,
                        const GrantRequest& request) {
  if (IsIn(user, kPrivilegedGroup)) return {};
  if (request.old != nullptr &&
      WithoutCollectorsFields(request.object) == WithoutCollectorsFields(*request.old)) {
    return {};
  }
  const bool role = request.resource == "roles" || request.resource == "clusterroles";
  return role ? CheckRole(authorizer, user, request) : CheckBinding(authorizer, user, request);
}

}  // namespace kinformer::apiserver
