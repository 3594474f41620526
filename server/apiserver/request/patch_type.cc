#include "apiserver/request/negotiation.h"
#include "apiserver/request/patch.h"

namespace kinformer::apiserver {
namespace {

using internal::MessageDescriptor;

Result<void> JsonPatch(const json::Value& patch, const MessageDescriptor* /*message*/,
                       json::Value& object) {
  return ApplyJsonPatch(patch, object);
}

Result<void> MergePatch(const json::Value& patch, const MessageDescriptor* /*message*/,
                        json::Value& object) {
  return ApplyMergePatch(patch, object);
}

}  // namespace

PatchFunction PatchFunctionOf(std::string_view content_type, bool custom) {
  if (IsMediaType(content_type, "application/json-patch+json")) return JsonPatch;
  if (IsMediaType(content_type, "application/merge-patch+json")) return MergePatch;
  if (IsMediaType(content_type, "application/strategic-merge-patch+json") && !custom) {
    return ApplyStrategicMergePatch;
  }
  if (IsMediaType(content_type, "application/apply-patch+yaml")) {
    return custom ? MergePatch : ApplyDeclaredObject;
  }
  return nullptr;
}

}  // namespace kinformer::apiserver
