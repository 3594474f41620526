// apiserver/request/selected_name.h
//
// SelectedName: the object that a request for several objects asks for by its field selector.

#ifndef KINFORMER_APISERVER_REQUEST_SELECTED_NAME_H_
#define KINFORMER_APISERVER_REQUEST_SELECTED_NAME_H_

#include <string>

#include "kinformer/object/field_selector.h"

#include "apiserver/request/request_info.h"

namespace kinformer::apiserver {

// Returns the selector of a request for several objects; empty if it has none that can be read.
[[nodiscard]] inline FieldSelector FieldSelectorOf(const RequestInfo& info) {
  const bool several =
      info.verb == Verb::kList || info.verb == Verb::kWatch || info.verb == Verb::kDeleteCollection;
  const std::string_view text = several ? info.query.Get("fieldSelector") : std::string_view();
  if (text.empty()) return {};
  return FieldSelector::Parse(text).value_or(FieldSelector());
}

// Returns the name that a selector asks for; empty if it may match several objects.
[[nodiscard]] inline std::string SelectedName(const FieldSelector& selector) {
  for (const FieldSelector::Requirement& requirement : selector.requirements()) {
    if (requirement.field == "metadata.name" && !requirement.negated) return requirement.value;
  }
  return {};
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_SELECTED_NAME_H_
