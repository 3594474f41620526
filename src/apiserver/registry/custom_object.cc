#include "apiserver/registry/custom_object.h"

#include "apiserver/errors/status.h"
#include "apiserver/schema/schema_fields.h"
#include "apiserver/schema/schema_validation.h"

namespace kinformer::apiserver {

Result<void> FillDefaults(const StructuralSchema& schema, json::Value& object) {
  if (ApplyDefaults(schema.root(), object)) return {};
  return Error(Reason::kRequestEntityTooLarge,
               "Request entity too large: the defaults of its schema would add more than " +
                   std::to_string(kMaxDefaultBytes) +
                   " bytes: leave out some of its items, or "
                   "take defaults out of the definition")
      .WithHttpStatus(413);
}

Result<void> ApplySchema(const StructuralSchema& schema, json::Value& object) {
  PruneObject(schema.root(), object);
  return FillDefaults(schema, object);
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
  return ApplySchema(*version.schema, object);
}

std::vector<StatusCause> ValidateCustomObject(const ResourceAt& at, const json::Value& object,
                                              const json::Value* old) {
  if (at.version->schema == nullptr) return {};
  return ValidateObject(at.version->schema->root(), object, old);
}

Result<void> ToStorageVersion(const ResourceAt& at, json::Value& object) {
  const auto storage = at.resource->StorageVersion();
  if (storage == nullptr || storage->schema == nullptr) return {};
  if (storage != at.version) return ApplySchema(*storage->schema, object);
  if (!storage->schema->root().has_defaults) return {};
  return FillDefaults(*storage->schema, object);
}

}  // namespace kinformer::apiserver
