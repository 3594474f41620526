#include <string>
#include <utility>

#include "kinformer/events/events.h"

namespace kinformer::internal {

FieldSelector SelectorOfEvents(std::string_view field,
                               const corev1::ObjectReferenceMutable& regarding) {
  std::string text;
  for (const auto& [part, value] :
       {std::pair<std::string_view, const std::string&>("apiVersion", regarding.apiVersion),
        {"kind", regarding.kind},
        {"name", regarding.name},
        {"uid", regarding.uid}}) {
    if (value.empty()) continue;
    if (!text.empty()) text.push_back(',');
    text.append(field).append(".").append(part).append("=").append(value);
  }
  // None of these values can contain a special character of selectors.
  return FieldSelector::Parse(text).value_or(FieldSelector());
}

}  // namespace kinformer::internal
