#include "kinformer/object_name.h"

#include <ostream>

namespace kinformer {

std::string GroupVersionKind::apiVersion() const {
  return group.empty() ? version : group + "/" + version;
}

std::string ObjectName::ToString() const {
  return namespace_.empty() ? name : namespace_ + "/" + name;
}

std::ostream& operator<<(std::ostream& out, const GroupVersionKind& gvk) {
  return out << gvk.apiVersion() << ", Kind=" << gvk.kind;
}

std::ostream& operator<<(std::ostream& out, const GroupVersionResource& gvr) {
  if (!gvr.group.empty()) out << gvr.group << '/';
  return out << gvr.version << ", Resource=" << gvr.resource;
}

std::ostream& operator<<(std::ostream& out, const ObjectName& name) {
  if (!name.namespace_.empty()) out << name.namespace_ << '/';
  return out << name.name;
}

Result<ObjectName> SplitMetaNamespaceKey(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return ObjectName{"", std::string(key)};
  if (key.find('/', slash + 1) != std::string_view::npos) {
    return Error(Reason::kInvalidArgument,
                 "unexpected key format: \"" + std::string(key) + "\" has more than one '/'");
  }
  return ObjectName{std::string(key.substr(0, slash)), std::string(key.substr(slash + 1))};
}

}  // namespace kinformer
