#include "kinformer/object/object_name.h"

#include <ostream>

#include "object/values/object_key.h"

namespace kinformer {

std::string GroupVersionKind::apiVersion() const {
  return group.empty() ? version : group + "/" + version;
}

std::string ObjectName::ToString() const { return internal::ObjectKey(namespace_, name); }

std::ostream& operator<<(std::ostream& out, const GroupVersionKind& gvk) {
  return out << gvk.apiVersion() << ", Kind=" << gvk.kind;
}

std::ostream& operator<<(std::ostream& out, const GroupVersionResource& gvr) {
  if (!gvr.group.empty()) out << gvr.group << '/';
  return out << gvr.version << ", Resource=" << gvr.resource;
}

std::ostream& operator<<(std::ostream& out, const ObjectName& name) {
  return out << name.ToString();
}

Result<ObjectName> SplitMetaNamespaceKey(std::string_view key) {
  const auto [namespace_, name] = internal::SplitObjectKey(key);
  if (name.find('/') != std::string_view::npos) {
    return Error(Reason::kInvalidArgument,
                 "unexpected key format: \"" + std::string(key) + "\" has more than one '/'");
  }
  return ObjectName{std::string(namespace_), std::string(name)};
}

}  // namespace kinformer
