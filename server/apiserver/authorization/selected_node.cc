#include "apiserver/authorization/selected_node.h"

namespace kinformer::apiserver {
namespace {

constexpr const char* kField = "spec.nodeName";

}  // namespace

std::string SelectedNode(const FieldSelector& selector) {
  return std::string(selector.RequiresExactMatch(kField).value_or(""));
}

std::string SelectedNode(const json::Value& attributes) {
  const json::Value& asked = attributes["fieldSelector"];
  if (const std::string& raw = asked["rawSelector"].StringOrEmpty(); !raw.empty()) {
    const Result<FieldSelector> selector = FieldSelector::Parse(raw);
    return selector.ok() ? SelectedNode(*selector) : std::string();
  }
  for (const json::Value& term : asked["requirements"].items()) {
    if (term["key"].StringOrEmpty() != kField || term["operator"].StringOrEmpty() != "In") continue;
    const json::Array& values = term["values"].items();
    return values.size() == 1 ? values.front().StringOrEmpty() : std::string();
  }
  return {};
}

}  // namespace kinformer::apiserver
