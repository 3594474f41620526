#include "apiserver/write/object/propagation.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kinformer::apiserver {

bool HasFinalizer(const json::Value& object, std::string_view name) {
  const json::Array& finalizers = object.At("/metadata/finalizers").items();
  return std::find(finalizers.begin(), finalizers.end(), json::Value(name)) != finalizers.end();
}

std::string_view PolicyOf(const json::Value& object) {
  if (HasFinalizer(object, kOrphanFinalizer)) return "Orphan";
  return HasFinalizer(object, kForegroundFinalizer) ? "Foreground" : "Background";
}

bool SetPropagationFinalizers(const ServedResource& resource, std::string_view policy,
                              json::Value& object) {
  if (resource.deletion == DeletionRule::kAlone) return false;
  if (policy.empty()) {
    policy = PolicyOf(object);
    if (policy == "Background" && resource.deletion == DeletionRule::kOrphan) policy = "Orphan";
  }
  std::string_view wanted;
  if (policy == "Orphan") wanted = kOrphanFinalizer;
  if (policy == "Foreground") wanted = kForegroundFinalizer;
  const json::Value before = std::as_const(object).At("/metadata/finalizers");
  json::Value after = json::Value::MakeArray();
  for (const json::Value& finalizer : before.items()) {
    const std::string& name = finalizer.StringOrEmpty();
    if ((name != kOrphanFinalizer && name != kForegroundFinalizer) || name == wanted) {
      after.Append(finalizer);
    }
  }
  if (!wanted.empty() && !HasFinalizer(object, wanted)) after.Append(wanted);
  if (after.items() == before.items()) return false;
  object.Ensure("metadata").Set("finalizers", std::move(after));
  return true;
}

bool HasFinalizers(const ServedResource& resource, const json::Value& object) {
  if (object.At("/metadata/finalizers").size() > 0) return true;
  return resource.Is("", "namespaces") && object.At("/spec/finalizers").size() > 0;
}

}  // namespace kinformer::apiserver
