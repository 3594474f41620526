#include "apiserver/registry/custom_object.h"

#include <algorithm>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/schema/schema_fields.h"
#include "apiserver/schema/schema_validation.h"

namespace kinformer::apiserver {
namespace {

std::shared_ptr<const ServedVersion> StorageVersionOf(const ServedResource& resource) {
  const auto found = std::find_if(resource.versions.begin(), resource.versions.end(),
                                  [](const auto& version) { return version->storage; });
  return found == resource.versions.end() ? nullptr : *found;
}

void Apply(const StructuralSchema& schema, json::Value& object) {
  PruneObject(schema.root(), object);
  ApplyDefaults(schema.root(), object);
}

}  // namespace

std::vector<std::string> UnknownFieldProblems(const ResourceAt& at, const json::Value& object) {
  std::vector<std::string> problems;
  if (at.version->schema == nullptr) return problems;
  for (const std::string& path : UnknownFields(at.version->schema->root(), object)) {
    problems.push_back("unknown field \"" + path + "\"");
  }
  return problems;
}

Result<void> PrepareCustomObject(const ResourceAt& at, json::Value& object) {
  const ServedVersion& version = *at.version;
  if (version.schema == nullptr) return {};
  if (const std::string error = MetadataTypeError(version.schema->root(), object); !error.empty()) {
    return version.NotHandled(error);
  }
  object.Set("apiVersion", version.api_version);
  object.Set("kind", version.kind);
  Apply(*version.schema, object);
  return {};
}

std::vector<StatusCause> ValidateCustomObject(const ResourceAt& at, const json::Value& object,
                                              const json::Value* old) {
  if (at.version->schema == nullptr) return {};
  return ValidateObject(at.version->schema->root(), object, old);
}

void ToStorageVersion(const ResourceAt& at, json::Value& object) {
  const auto storage = StorageVersionOf(*at.resource);
  if (storage == nullptr || storage->schema == nullptr || storage == at.version) return;
  if (storage->schema != at.version->schema) Apply(*storage->schema, object);
}

bool ReshapeObjects(ServedResource& resource, std::int64_t resource_version, HistoryLimits limits,
                    SteadyTime now) {
  const auto storage = StorageVersionOf(resource);
  if (storage == nullptr || storage->schema == nullptr || resource.store->size() == 0) return false;
  bool changed = false;
  std::vector<StoredObjectPtr> objects;
  resource.store->Walk({}, {}, resource_version, [&](const StoredObjectPtr& stored) {
    json::Value object = stored->Parse();
    Apply(*storage->schema, object);
    StoredObjectPtr now_stored =
        StoredObject::Make(object, stored->resource_version(), resource.fields);
    changed = changed || now_stored->body() != stored->body() ||
              now_stored->FieldsText() != stored->FieldsText();
    objects.push_back(std::move(now_stored));
    return true;
  });
  if (!changed) return false;
  std::sort(objects.begin(), objects.end(), [](const StoredObjectPtr& a, const StoredObjectPtr& b) {
    return a->resource_version() < b->resource_version();
  });
  auto store = std::make_shared<ResourceStore>(limits);
  for (StoredObjectPtr& stored : objects) store->Put(std::move(stored), now);
  store->Compact(resource_version);
  resource.store = std::move(store);
  return true;
}

}  // namespace kinformer::apiserver
