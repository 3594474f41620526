#include "apiserver/registry/conversion.h"

#include "apiserver/registry/built_in_conversion.h"
#include "apiserver/registry/defined_resource.h"
#include "apiserver/schema/schema_fields.h"

namespace kinformer::apiserver {

ResourceAt StoredAt(const ResourceAt& at) {
  const auto& stored = at.resource->stored;
  if (stored == nullptr) return at;
  return {.resource = stored, .version = stored->versions.front()};
}

bool IsPruned(const ResourceAt& at) {
  const auto& defined = at.resource->defined;
  return defined != nullptr && defined->pruned.contains(at.version->version);
}

StoredObjectPtr PrunedTo(const ResourceAt& at, const StoredObject& stored) {
  json::Value object = stored.Parse();
  ShapeForVersion(at.version->schema->root(), object);
  return StoredObject::Make(object, stored.resource_version(), at.resource->fields,
                            at.resource->FormOf(at.version->version));
}

json::Value ObjectIn(const ResourceAt& at, const StoredObject& stored) {
  const ServedVersion& version = *at.version;
  if (IsPruned(at)) {
    json::Value object = stored.Parse(version.api_version, version.kind);
    ShapeForVersion(version.schema->root(), object);
    return object;
  }
  if (version.conversion == nullptr) return stored.Parse(version.api_version, version.kind);
  const json::Value converted = version.conversion->from_stored(stored.Parse());
  json::Value object =
      json::Value::MakeObject({{"kind", version.kind}, {"apiVersion", version.api_version}});
  for (const auto& [name, value] : converted.members()) object.Set(name, value);
  return object;
}

StoredObjectPtr StoredIn(const ResourceAt& at, const StoredObjectPtr& stored) {
  const ServedVersion& version = *at.version;
  if (version.conversion == nullptr) return stored;
  return StoredObject::Make(version.conversion->from_stored(stored->Parse()),
                            stored->resource_version(), {});
}

}  // namespace kinformer::apiserver
