#include "apiserver/server/access.h"

#include <string>
#include <string_view>

#include "kinformer/object/field_selector.h"

#include "apiserver/authorization/selected_node.h"
#include "apiserver/request/selected_name.h"
#include "apiserver/schema/name_rules.h"

namespace kinformer::apiserver {
namespace {

// Decides, and says so in the audit log.
Result<void> Decided(const Authorizer& authorizer, const UserInfo& user,
                     const AccessAttributes& attributes, const RequestInfo& info) {
  if (info.audit == nullptr) return authorizer.Check(user, attributes);
  AccessDecision decision;
  Result<void> may = authorizer.Check(user, attributes, &decision);
  AnnotateDecision(*info.audit, decision);
  return may;
}

}  // namespace

void AnnotateDecision(AuditTrail& audit, const AccessDecision& decision) {
  audit.Annotate("authorization.k8s.io/decision", decision.allowed ? "allow" : "forbid");
  audit.Annotate("authorization.k8s.io/reason", decision.reason);
}

AccessAttributes AttributesOf(const RequestInfo& info) {
  return {.verb = VerbName(info.verb),
          .group = info.group,
          .resource = info.resource,
          .subresource = info.subresource,
          .namespace_ = info.namespace_,
          .name = info.name};
}

Result<void> CheckAccess(const Authorizer& authorizer, const UserInfo& user,
                         std::string_view method, const RequestInfo& info) {
  if (info.is_resource_request) {
    AccessAttributes attributes = AttributesOf(info);
    const FieldSelector selector = FieldSelectorOf(info);
    const std::string selected = SelectedName(selector);
    const std::string node = SelectedNode(selector);
    if (attributes.name.empty()) attributes.name = selected;
    attributes.selected_node = node;
    return Decided(authorizer, user, attributes, info);
  }
  const std::string verb = LowerCase(method);
  const std::string path = info.path + (info.trailing_slash ? "/" : "");
  return Decided(authorizer, user, {.is_resource = false, .verb = verb, .path = path}, info);
}

}  // namespace kinformer::apiserver
