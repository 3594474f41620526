#include "apiserver/server/access.h"

#include <string>
#include <string_view>

#include "kinformer/object/field_selector.h"

#include "apiserver/authorization/selected_node.h"
#include "apiserver/schema/name_rules.h"

namespace kinformer::apiserver {
namespace {

// Returns the selector of a request for several objects; empty if it has none that can be read.
FieldSelector SelectorOf(const RequestInfo& info) {
  if (info.verb != Verb::kList && info.verb != Verb::kWatch &&
      info.verb != Verb::kDeleteCollection) {
    return {};
  }
  const std::string_view text = info.query.Get("fieldSelector");
  if (text.empty()) return {};
  return FieldSelector::Parse(text).value_or(FieldSelector());
}

// Returns the name that a selector asks for; empty if it may match several objects.
std::string SelectedName(const FieldSelector& selector) {
  for (const FieldSelector::Requirement& requirement : selector.requirements()) {
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
    const FieldSelector selector = SelectorOf(info);
    const std::string selected = SelectedName(selector);
    const std::string node = SelectedNode(selector);
    if (attributes.name.empty()) attributes.name = selected;
    attributes.selected_node = node;
    return authorizer.Check(user, attributes);
  }
  const std::string verb = LowerCase(method);
  const std::string path = info.path + (info.trailing_slash ? "/" : "");
  return authorizer.Check(user, {.is_resource = false, .verb = verb, .path = path});
}

}  // namespace kinformer::apiserver
