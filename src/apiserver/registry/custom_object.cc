#include "apiserver/registry/custom_object.h"

#include "apiserver/errors/status.h"
#include "apiserver/schema/schema_fields.h"
#include "apiserver/schema/schema_validation.h"

namespace kinformer::apiserver {

void ApplySchema(const StructuralSchema& schema, json::Value& object) {
  PruneObject(schema.root(), object);
  ApplyDefaults(schema.root(), object);
}

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
  ApplySchema(*version.schema, object);
  return {};
}

std::vector<StatusCause> ValidateCustomObject(const ResourceAt& at, const json::Value& object,
                                              const json::Value* old) {
  if (at.version->schema == nullptr) return {};
  return ValidateObject(at.version->schema->root(), object, old);
}

void ToStorageVersion(const ResourceAt& at, json::Value& object) {
  const auto storage = at.resource->StorageVersion();
  if (storage == nullptr || storage->schema == nullptr || storage == at.version) return;
  if (storage->schema != at.version->schema) ApplySchema(*storage->schema, object);
}

}  // namespace kinformer::apiserver
