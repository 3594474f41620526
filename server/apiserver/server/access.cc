#include "apiserver/server/access.h"

#include <string>
#include <string_view>

#include "kinformer/object/field_selector.h"

#include "apiserver/schema/name_rules.h"

namespace kinformer::apiserver {
namespace {

// Returns the name that a selector asks for; empty if it may match several objects.
std::string SelectedName(const RequestInfo& info) {
  if (info.verb != Verb::kList && info.verb != Verb::kWatch &&
      info.verb != Verb::kDeleteCollection) {
    return {};
  }
  const std::string_view text = info.query.Get("fieldSelector");
  if (text.empty()) return {};
  const Result<FieldSelector> selector = FieldSelector::Parse(text);
  if (!selector) return {};
  for (const FieldSelector::Requirement& requirement : selector->requirements()) {
    if (requirement.field == "metadata.name" && !requirement.negated) return requirement.value;
  }
  return {};
}

}  // namespace

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
    const std::string selected = SelectedName(info);
    if (attributes.name.empty()) attributes.name = selected;
    return authorizer.Check(user, attributes);
  }
  const std::string verb = LowerCase(method);
  const std::string path = info.path + (info.trailing_slash ? "/" : "");
  return authorizer.Check(user, {.is_resource = false, .verb = verb, .path = path});
}

}  // namespace kinformer::apiserver
