#include "apiserver/write/object/reset_fields.h"

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "apiserver/builtin/status_metadata.h"

namespace kinformer::apiserver {
namespace {

// If a write of the status leaves more than this of the metadata, it leaves all of it.
constexpr std::size_t kSomeMetadata = 1;

}  // namespace

FieldSet ResetFields(const ResourceAt& at, std::string_view subresource) {
  FieldSet out;
  if (subresource.empty() && at.HasStatus()) out.Put("f:status", {.owned = true});
  if (subresource != "status") return out;
  out.Put("f:spec", {.owned = true});
  const std::span<const std::string_view> left = MetadataKeptByStatus(*at.resource);
  FieldSet metadata{.owned = left.size() > kSomeMetadata};
  for (const std::string_view name : left) {
    metadata.Put("f:" + std::string(name), {.owned = true});
  }
  out.Put("f:metadata", std::move(metadata));
  return out;
}

FieldSet FieldsToAssign(const json::Value& service) {
  FieldSet spec;
  for (const char* const name :
       {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "healthCheckNodePort"}) {
    if (!service["spec"].contains(name)) spec.Put(std::string("f:") + name, {.owned = true});
  }
  FieldSet out;
  out.Put("f:spec", std::move(spec));
  return out;
}

}  // namespace kinformer::apiserver
