#include "apiserver/custom_scale.h"

#include <algorithm>
#include <string>
#include <utility>

#include "apiserver/status.h"

namespace kinformer::apiserver {
namespace {

// ".spec.replicas" as a JSON Pointer.
std::string PointerOf(std::string path) {
  std::replace(path.begin(), path.end(), '.', '/');
  return path;
}

}  // namespace

Result<json::Value> ScaleOfCustom(const ResourceAt& at, const json::Value& object, bool for_patch) {
  const Subresource& scale = *at.FindSubresource("scale");
  const json::Value* const replicas = object.FindPointer(PointerOf(scale.spec_path));
  if (replicas == nullptr && !for_patch) {
    return Error(Reason::kInternalError, "Internal error occurred: the spec replicas field \"" +
                                             scale.spec_path + "\" does not exist")
        .WithHttpStatus(500);
  }
  json::Value metadata = json::Value::MakeObject();
  for (const char* name : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const json::Value* value = object["metadata"].Find(name)) metadata.Set(name, *value);
  }
  json::Value status = json::Value::MakeObject(
      {{"replicas", object.At(PointerOf(scale.status_path)).AsInt64().value_or(0)}});
  if (!scale.selector_path.empty()) {
    const std::string& selector = object.At(PointerOf(scale.selector_path)).StringOrEmpty();
    if (!selector.empty()) status.Set("selector", selector);
  }
  json::Value spec = json::Value::MakeObject();
  const std::int64_t count = replicas == nullptr ? 0 : replicas->AsInt64().value_or(0);
  if (count != 0) spec.Set("replicas", count);
  return json::Value::MakeObject({{"kind", "Scale"},
                                  {"apiVersion", "autoscaling/v1"},
                                  {"metadata", std::move(metadata)},
                                  {"spec", std::move(spec)},
                                  {"status", std::move(status)}});
}

Result<void> CheckCustomScale(const ResourceAt& at, std::string_view name,
                              const json::Value& scale) {
  const std::string& sent = scale["metadata"]["name"].StringOrEmpty();
  const json::Value& replicas = scale["spec"]["replicas"];
  if (scale["kind"].StringOrEmpty() != "Scale" ||
      scale["apiVersion"].StringOrEmpty() != "autoscaling/v1" ||
      (!replicas.is_null() && !replicas.AsInt64())) {
    return BadRequestError(
        "the body must be a Scale of autoscaling/v1 with a whole number of "
        "spec.replicas");
  }
  if (sent != name) {
    return BadRequestError("the name of the object (" + sent +
                           ") does not match the name on the URL (" + std::string(name) + ")");
  }
  const std::int64_t count = replicas.AsInt64().value_or(0);
  if (count < 0) {
    return InvalidError(at.resource->KindSubject(name),
                        {InvalidValue(at.FindSubresource("scale")->spec_path, std::to_string(count),
                                      "should be a non-negative integer")});
  }
  return {};
}

Result<void> ApplyCustomScale(const ResourceAt& at, const json::Value& scale, json::Value& object) {
  for (const char* name : {"resourceVersion", "uid"}) {
    const std::string& value = scale["metadata"][name].StringOrEmpty();
    if (!value.empty()) object["metadata"].Set(name, value);
  }
  return object.SetPointer(PointerOf(at.FindSubresource("scale")->spec_path),
                           scale["spec"]["replicas"].AsInt64().value_or(0));
}

}  // namespace kinformer::apiserver
