#include "apiserver/plugins/default_storage_class.h"

#include <string>
#include <utility>

namespace kinformer::apiserver {
namespace {

bool HasClass(const json::Value& claim) {
  return claim.At("/metadata/annotations").contains("volume.beta.kubernetes.io/storage-class") ||
         !claim.At("/spec/storageClassName").is_null();
}

bool IsDefault(const json::Value& storage_class) {
  const json::Value& annotations = storage_class.At("/metadata/annotations");
  return annotations["storageclass.kubernetes.io/is-default-class"].StringOrEmpty() == "true" ||
         annotations["storageclass.beta.kubernetes.io/is-default-class"].StringOrEmpty() == "true";
}

}  // namespace

Result<void> DefaultStorageClass::Mutate(PluginRequest& request) {
  if (!request.IsOf("", "persistentvolumeclaims") || HasClass(request.object)) return {};
  const auto classes = state_.resources.FindGroupResource("storage.k8s.io", "storageclasses");
  // The newest one; of several of the same second, the first by name.
  std::string name;
  std::string made;
  classes->store->Walk({}, {}, state_.resource_version, [&](const StoredObjectPtr& stored) {
    const json::Value storage_class = stored->Parse();
    const std::string& time = storage_class.At("/metadata/creationTimestamp").StringOrEmpty();
    if (IsDefault(storage_class) && (name.empty() || time > made)) {
      name = stored->name();
      made = time;
    }
    return true;
  });
  if (!name.empty()) request.object.Ensure("spec").Set("storageClassName", name);
  return {};
}

}  // namespace kinformer::apiserver
