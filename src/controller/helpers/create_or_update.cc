#include <ostream>
#include <string>
#include <utility>

#include "kinformer/controller/controllerutil.h"
#include "kinformer/json/json_diff.h"

namespace kinformer::controllerutil {

std::string_view ToString(OperationResult result) {
  switch (result) {
    case OperationResult::kNone:
      return "unchanged";
    case OperationResult::kCreated:
      return "created";
    case OperationResult::kUpdated:
      return "updated";
    case OperationResult::kUpdatedStatus:
      return "updatedStatus";
    case OperationResult::kUpdatedStatusOnly:
      return "updatedStatusOnly";
  }
  return "";
}

std::ostream& operator<<(std::ostream& out, OperationResult result) {
  return out << ToString(result);
}

namespace internal {

Result<void> CheckSameObject(const metav1::ObjectMetaMutable& metadata, std::string_view namespace_,
                             std::string_view name) {
  if (metadata.name == name && metadata.namespace_ == namespace_) return {};
  return Error(Reason::kInvalidArgument,
               "the function that was to change " + std::string(namespace_) + "/" +
                   std::string(name) + " has made it " + metadata.namespace_ + "/" + metadata.name +
                   ": it must not change the object's name or namespace");
}

Result<ObjectPatches> PatchesBetween(std::string_view before, std::string_view after) {
  Result<json::Value> from = json::Parse(before);
  if (!from) return std::move(from).error();
  Result<json::Value> to = json::Parse(after);
  if (!to) return std::move(to).error();
  Result<json::Value> patch = json::MergeDiff(*from, *to);
  if (!patch) return std::move(patch).error();
  ObjectPatches patches;
  if (const json::Value* status = patch->Find("status"); status != nullptr) {
    patches.status = json::Value::MakeObject({{"status", *status}});
    patch->Erase("status");
  }
  if (patch->size() > 0) patches.object = *std::move(patch);
  return patches;
}

Patch MergePatch(const json::Value& body) {
  return {.type = PatchType::kMergePatch, .body = body.Dump()};
}

}  // namespace internal
}  // namespace kinformer::controllerutil
