#include "apiserver/authorization/authorizer.h"

#include <algorithm>

#include "apiserver/authorization/node_identity.h"
#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

std::string NotFoundText(const RbacPolicy::Grant& grant) {
  return (grant.role_kind == "Role" ? "role." : "clusterrole.") + std::string(kRbacGroup) + " " +
         JsonString(grant.role) + " not found";
}

bool IsOpenToAll(const AccessAttributes& attributes) {
  if (attributes.is_resource) return false;
  return attributes.path == "/healthz" || attributes.path == "/livez" ||
         attributes.path == "/readyz";
}

// Returns the text in a form that no browser takes for HTML.
std::string WithoutMarkup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string Refusal(const UserInfo& user, const AccessAttributes& attributes) {
  const std::string verb(attributes.verb);
  std::string out = "User " + JsonString(user.name) + " cannot " + verb;
  if (!attributes.is_resource) return out + " path " + JsonString(attributes.path);
  std::string resource(attributes.resource);
  if (!attributes.subresource.empty()) resource += "/" + std::string(attributes.subresource);
  out += " resource " + JsonString(resource) + " in API group " + JsonString(attributes.group);
  if (attributes.namespace_.empty()) return out + " at the cluster scope";
  return out + " in the namespace " + JsonString(attributes.namespace_);
}

}  // namespace

bool IsIn(const UserInfo& user, std::string_view group) {
  return std::find(user.groups.begin(), user.groups.end(), group) != user.groups.end();
}

AccessDecision Authorizer::Decide(const UserInfo& user, const AccessAttributes& attributes) const {
  if (IsIn(user, kPrivilegedGroup) || IsOpenToAll(attributes)) return {.allowed = true};
  AccessDecision decision;
  if (nodes_ != nullptr) {
    NodeAuthorizer::Answer answer = nodes_->Decide(user, attributes);
    if (answer.allowed) return {.allowed = true};
    if (!answer.why.empty()) decision.reason = "node: " + answer.why;
  }
  std::vector<std::string> errors;
  policy_.ForEach(
      user, attributes.namespace_, [&](const RbacPolicy::Grant& grant, const PolicyRules* rules) {
        if (rules == nullptr) {
          errors.push_back(NotFoundText(grant));
          return true;
        }
        decision.allowed = std::any_of(rules->begin(), rules->end(), [&](const PolicyRule& rule) {
          return rule.Allows(attributes);
        });
        if (decision.allowed) decision.reason = "RBAC: allowed by " + grant.Text();
        return !decision.allowed;
      });
  if (!decision.allowed && !errors.empty()) {
    if (!decision.reason.empty()) decision.reason += "\n";
    decision.reason += "rbac: RBAC: " + AggregateText(errors);
  }
  return decision;
}

Result<void> Authorizer::Check(const UserInfo& user, const AccessAttributes& attributes,
                               AccessDecision* made) const {
  const AccessDecision decision = Decide(user, attributes);
  if (made != nullptr) *made = decision;
  if (decision.allowed) return {};
  std::string why = WithoutMarkup(Refusal(user, attributes));
  if (!decision.reason.empty()) why += ": " + decision.reason;
  return ForbiddenError({.group = attributes.group,
                         .resource = attributes.resource,
                         .name = attributes.is_resource ? attributes.name : std::string_view()},
                        why);
}

AccessRules Authorizer::RulesFor(const UserInfo& user, std::string_view namespace_) const {
  AccessRules out;
  std::vector<std::string> errors;
  out.incomplete = nodes_ != nullptr && NodeOf(user).has_value();
  if (out.incomplete) {
    errors.emplace_back("node authorizer does not support user rule resolution");
  }
  policy_.ForEach(user, namespace_, [&](const RbacPolicy::Grant& grant, const PolicyRules* rules) {
    if (rules == nullptr) {
      errors.push_back(NotFoundText(grant));
    } else {
      out.rules.insert(out.rules.end(), rules->begin(), rules->end());
    }
    return true;
  });
  out.error = AggregateText(errors);
  return out;
}

}  // namespace kinformer::apiserver
