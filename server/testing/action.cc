#include "kinformer/testing/action.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <tuple>

#include "transport/query.h"

namespace kinformer::testing {
namespace {

std::string_view NameOf(PatchType type) {
  switch (type) {
    case PatchType::kJsonPatch:
      return "json";
    case PatchType::kMergePatch:
      return "merge";
    case PatchType::kStrategicMerge:
      return "strategic";
    case PatchType::kApply:
      return "apply";
  }
  return "";
}

}  // namespace

bool Action::Matches(std::string_view verb_pattern, std::string_view resource_pattern) const {
  // client-go's fakes write it with a hyphen.
  if (verb_pattern == "delete-collection") verb_pattern = "deletecollection";
  if (verb_pattern != "*" && verb_pattern != verb) return false;
  if (resource_pattern == "*") return true;
  const std::size_t slash = resource_pattern.find('/');
  if (resource_pattern.substr(0, slash) != resource.resource) return false;
  return slash == std::string_view::npos || resource_pattern.substr(slash + 1) == subresource;
}

std::ostream& operator<<(std::ostream& out, const Action& action) {
  out << action.verb << ' ';
  if (!action.path.empty()) {
    out << action.path;
  } else {
    out << action.resource.resource;
    if (!action.resource.group.empty()) out << '.' << action.resource.group;
    if (!action.subresource.empty()) out << '/' << action.subresource;
  }
  if (!action.namespace_.empty() || !action.name.empty()) {
    out << ' ' << action.namespace_ << (action.namespace_.empty() ? "" : "/") << action.name;
  }
  if (!action.label_selector.empty()) out << " labels \"" << action.label_selector << '"';
  if (!action.field_selector.empty()) out << " fields \"" << action.field_selector << '"';
  if (action.patch_type) out << " (" << NameOf(*action.patch_type) << ')';
  if (!action.object.is_null()) out << ' ' << action.object;
  return out;
}

}  // namespace kinformer::testing
