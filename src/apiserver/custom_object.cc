#include "apiserver/custom_object.h"

#include <algorithm>
#include <utility>

#include "apiserver/schema_fields.h"
#include "apiserver/schema_validation.h"
#include "apiserver/status.h"

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
  std::vector<RecordPtr> records;
  resource.store->Walk({}, {}, resource_version, [&](const RecordPtr& record) {
    json::Value object = record->Parse();
    Apply(*storage->schema, object);
    RecordPtr now_stored = Record::Make(object, record->resource_version(), resource.fields);
    changed = changed || now_stored->body() != record->body() ||
              now_stored->FieldsText() != record->FieldsText();
    records.push_back(std::move(now_stored));
    return true;
  });
  if (!changed) return false;
  std::sort(records.begin(), records.end(), [](const RecordPtr& a, const RecordPtr& b) {
    return a->resource_version() < b->resource_version();
  });
  auto store = std::make_shared<ResourceStore>(limits);
  for (RecordPtr& record : records) store->Put(std::move(record), now);
  store->Compact(resource_version);
  resource.store = std::move(store);
  return true;
}

}  // namespace kinformer::apiserver
