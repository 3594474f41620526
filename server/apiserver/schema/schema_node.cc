#include "apiserver/schema/schema_node.h"

#include <algorithm>
#include <array>

namespace kinformer::apiserver {
namespace {

constexpr std::array<std::string_view, 7> kTypeNames = {"",        "object", "array",  "string",
                                                        "integer", "number", "boolean"};

}  // namespace

SchemaType SchemaTypeOf(std::string_view name) {
  const auto found = std::find(kTypeNames.begin() + 1, kTypeNames.end(), name);
  return found == kTypeNames.end() ? SchemaType::kAny
                                   : static_cast<SchemaType>(found - kTypeNames.begin());
}

std::string_view SchemaTypeName(SchemaType type) {
  return kTypeNames[static_cast<std::size_t>(type)];
}

const SchemaNode* SchemaNode::FindProperty(std::string_view name) const {
  const auto at = std::lower_bound(names.begin(), names.end(), name);
  if (at == names.end() || *at != name) return nullptr;
  return &properties[static_cast<std::size_t>(at - names.begin())];
}

const SchemaNode* SchemaNode::FindMember(std::string_view name) const {
  const SchemaNode* const property = FindProperty(name);
  return property != nullptr ? property : additional.get();
}

}  // namespace kinformer::apiserver
