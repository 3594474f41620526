#include "kinformer/finalizers.h"

#include <algorithm>
#include <utility>

#include "kinformer/controllerutil.h"

namespace kinformer::controllerutil {

bool AddFinalizer(metav1::ObjectMetaMutable& metadata, std::string_view finalizer) {
  if (ContainsFinalizer(metadata, finalizer)) return false;
  metadata.finalizers.emplace_back(finalizer);
  return true;
}

bool RemoveFinalizer(metav1::ObjectMetaMutable& metadata, std::string_view finalizer) {
  return std::erase(metadata.finalizers, finalizer) > 0;
}

bool ContainsFinalizer(const metav1::ObjectMeta& metadata, std::string_view finalizer) {
  return std::ranges::find(metadata.finalizers(), finalizer) != metadata.finalizers().end();
}

bool ContainsFinalizer(const metav1::ObjectMetaMutable& metadata, std::string_view finalizer) {
  return std::ranges::find(metadata.finalizers, finalizer) != metadata.finalizers.end();
}

}  // namespace kinformer::controllerutil

namespace kinformer::internal {

void AppendFinalizerError(const std::string& name, const Error& error, std::string& errors) {
  if (!errors.empty()) errors += "; ";
  errors += "finalizer \"" + name + "\" failed: " + error.ToString();
}

Error DuplicateFinalizer(const std::string& name) {
  return Error(Reason::kAlreadyExists, "finalizer \"" + name + "\" is registered already");
}

}  // namespace kinformer::internal
