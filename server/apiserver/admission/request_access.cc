#include "apiserver/admission/request_access.h"

#include <utility>

#include "kinformer/object/field_selector.h"

#include "apiserver/authorization/authorizer.h"
#include "apiserver/authorization/selected_node.h"
#include "apiserver/registry/user_info.h"

namespace kinformer::apiserver {

namespace cel = internal::cel;

cel::AccessAnswer RequestAccess::Check(const cel::AccessQuestion& question,
                                       const std::string& verb) const {
  if (state_.authorizer == nullptr) return {.allowed = true};
  UserInfo user;
  if (!question.account.empty()) {
    user.name = ServiceAccountName(question.account_namespace, question.account);
    user.groups = ServiceAccountGroups(question.account_namespace);
  } else if (attributes_.user != nullptr) {
    user = *attributes_.user;
  }
  const std::string node =
      SelectedNode(FieldSelector::Parse(question.field_selector).value_or(FieldSelector()));
  AccessDecision decision = state_.authorizer->Decide(user, {.is_resource = question.path.empty(),
                                                             .verb = verb,
                                                             .group = question.group,
                                                             .resource = question.resource,
                                                             .subresource = question.subresource,
                                                             .namespace_ = question.namespace_,
                                                             .name = question.name,
                                                             .selected_node = node,
                                                             .path = question.path});
  return {.allowed = decision.allowed, .reason = std::move(decision.reason)};
}

cel::AccessQuestion RequestAccess::Resource() const {
  const ServedResource& resource = *attributes_.at.resource;
  return {.group = resource.group,
          .resource = resource.plural,
          .subresource = attributes_.subresource,
          .namespace_ = attributes_.namespace_,
          .name = attributes_.name};
}

}  // namespace kinformer::apiserver
