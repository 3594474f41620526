#include "apiserver/write/request/scale.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/ownership/scale_owners.h"
#include "apiserver/registry/object_rules.h"
#include "apiserver/registry/selection.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kReplicas = "/spec/replicas";

// Returns ".spec.replicas" as a JSON Pointer.
std::string PointerOf(std::string path, std::string_view otherwise) {
  if (path.empty()) return std::string(otherwise);
  std::replace(path.begin(), path.end(), '.', '/');
  return path;
}

std::string SelectorOf(const ResourceAt& at, const json::Value& object) {
  if (!at.resource->custom) return SelectorText(object.At("/spec/selector"));
  const std::string& path = at.FindSubresource("scale")->selector_path;
  return path.empty() ? std::string() : object.At(PointerOf(path, {})).StringOrEmpty();
}

ReplicaFields ReplicaFieldsOf(const ServedResource& resource) {
  ReplicaFields out;
  for (const auto& version : resource.versions) {
    const Subresource* const scale = resource.FindSubresource("scale", version->version);
    out.emplace(version->api_version,
                scale == nullptr ? FieldSet() : FieldAt(PointerOf(scale->spec_path, kReplicas)));
  }
  return out;
}

// Returns whether the value is a number of 32 bits, written without fraction and exponent.
bool IsCount(const json::Value& value) {
  const auto count = value.AsInt64();
  return value.is_integer() && count && *count == static_cast<std::int32_t>(*count);
}

}  // namespace

Result<json::Value> ScaleOf(const ResourceAt& at, const json::Value& object, bool for_change) {
  const Subresource& paths = *at.FindSubresource("scale");
  const json::Value* const replicas = object.FindPointer(PointerOf(paths.spec_path, kReplicas));
  if (replicas == nullptr && at.resource->custom && !for_change) {
    const std::string why = "the spec replicas field \"" + paths.spec_path + "\" does not exist";
    return Error(Reason::kInternalError, "Internal error occurred: " + why)
        .WithHttpStatus(500)
        .WithDetails({.causes = {{.message = why}}});
  }
  json::Value metadata = json::Value::MakeObject();
  for (const char* name : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const json::Value* value = object["metadata"].Find(name)) metadata.Set(name, *value);
  }
  json::Value spec = json::Value::MakeObject();
  const std::int64_t wanted = replicas == nullptr ? 0 : replicas->AsInt64().value_or(0);
  if (wanted != 0) spec.Set("replicas", wanted);
  const std::string status_path = PointerOf(paths.status_path, "/status/replicas");
  json::Value status =
      json::Value::MakeObject({{"replicas", object.At(status_path).AsInt64().value_or(0)}});
  if (const std::string selector = SelectorOf(at, object); !selector.empty()) {
    status.Set("selector", selector);
  }
  return json::Value::MakeObject({{"kind", "Scale"},
                                  {"apiVersion", "autoscaling/v1"},
                                  {"metadata", std::move(metadata)},
                                  {"spec", std::move(spec)},
                                  {"status", std::move(status)}});
}

Result<void> CheckScale(const ResourceAt& at, std::string_view name, const json::Value& scale) {
  const bool custom = at.resource->custom;
  const std::string& kind = scale["kind"].StringOrEmpty();
  const json::Value& replicas = scale["spec"]["replicas"];
  if (custom && (kind != "Scale" || scale["apiVersion"].StringOrEmpty() != "autoscaling/v1" ||
                 (!replicas.is_null() && !IsCount(replicas)))) {
    return BadRequestError(
        "the body must be a Scale of autoscaling/v1 with a whole number of spec.replicas");
  }
  if (!kind.empty() && kind != "Scale") {
    return BadRequestError(kind + " in version \"" + at.version->version +
                           "\" cannot be handled as a Scale: the body must hold a Scale");
  }
  if (!replicas.is_null() && !IsCount(replicas)) {
    return BadRequestError(
        "Scale in version \"v1\" cannot be handled as a Scale: spec.replicas: expected an integer "
        "of 32 bits, got " +
        replicas.Dump());
  }
  return CheckSentName(scale["metadata"], name);
}

Result<void> CheckPatchedReplicas(const json::Value& scale, bool exact) {
  const json::Value& replicas = scale["spec"]["replicas"];
  if (replicas.is_null() || IsCount(replicas)) return {};
  if (const auto count = replicas.AsInt64(); !exact && count) {
    if (*count == static_cast<std::int32_t>(*count)) return {};
  }
  return InvalidError(
      {}, {InvalidValue("patch", JsonString(scale.Dump({.sort_keys = true})),
                        "spec.replicas: expected an integer of 32 bits, got " + replicas.Dump())});
}

Result<void> CheckReplicas(const ResourceAt& at, std::string_view name, const json::Value& scale) {
  const std::int64_t count = scale["spec"]["replicas"].AsInt64().value_or(0);
  if (count >= 0) return {};
  if (at.resource->custom) {
    return InvalidError(at.resource->KindSubject(name),
                        {InvalidValue(at.FindSubresource("scale")->spec_path, std::to_string(count),
                                      "should be a non-negative integer")});
  }
  return InvalidError(
      {.group = "autoscaling", .resource = "Scale", .name = std::string(name)},
      {InvalidValue("spec.replicas", std::to_string(count), "must be greater than or equal to 0")});
}

Result<void> ApplyScale(const ResourceAt& at, const json::Value& scale, json::Value& object) {
  for (const char* name : {"resourceVersion", "uid"}) {
    const std::string& value = scale["metadata"][name].StringOrEmpty();
    if (!value.empty()) object.Ensure("metadata").Set(name, value);
  }
  return object.SetPointer(PointerOf(at.FindSubresource("scale")->spec_path, kReplicas),
                           scale["spec"]["replicas"].AsInt64().value_or(0));
}

Result<void> OwnScale(const ResourceAt& at, const FieldManager& manager, const json::Value& live,
                      bool force, json::Value& object) {
  const std::string path = PointerOf(at.FindSubresource("scale")->spec_path, kReplicas);
  const json::Value* const before = live.FindPointer(path);
  const std::int64_t count = before == nullptr ? 0 : before->AsInt64().value_or(0);
  const std::int64_t wanted = std::as_const(object).At(path).AsInt64().value_or(0);
  // A custom object without replicas has another number than any Scale.
  const bool is_unset = before == nullptr && at.resource->custom;
  ScaleChange change = ScaleChange::kNone;
  if (is_unset || count != wanted) {
    change = wanted == 0 && !manager.applies ? ScaleChange::kRemoved : ScaleChange::kSet;
  }
  return TrackScale(manager, ReplicaFieldsOf(*at.resource), change, live, force, object);
}

}  // namespace kinformer::apiserver
