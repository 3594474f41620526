#include "kinformer/controller/finalizers.h"

#include <algorithm>
#include <utility>

#include "kinformer/controller/controllerutil.h"
#include "kinformer/json/json.h"

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

FinalizeResult FinalizeResultOf(std::string_view before, std::string_view after) {
  json::Value was = json::Parse(before).value_or(json::Value());
  json::Value is = json::Parse(after).value_or(json::Value());
  FinalizeResult result;
  result.status_updated = std::as_const(was)["status"] != std::as_const(is)["status"];
  was.Erase("status");
  is.Erase("status");
  result.updated = was != is;
  return result;
}

}  // namespace kinformer::internal
