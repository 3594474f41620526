#include "apiserver/registry/custom_object.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "apiserver/errors/status.h"
#include "apiserver/schema/rule_validation.h"
#include "apiserver/schema/schema_fields.h"
#include "apiserver/schema/schema_validation.h"

namespace kinformer::apiserver {
namespace {

// Returns the value as Go's %v prints it.
std::string Printed(const json::Value& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_string()) return value.StringOrEmpty();
  std::string out;
  if (value.is_array()) {
    for (const json::Value& item : value.items()) {
      out.append(out.empty() ? "[" : " ").append(Printed(item));
    }
    return out.empty() ? "[]" : out + "]";
  }
  if (value.is_number()) return ValueText(value);
  if (!value.is_object()) return value.Dump();
  std::map<std::string, const json::Value*> members;
  for (const auto& [name, member] : value.members()) members.emplace(name, &member);
  for (const auto& [name, member] : members) {
    out.append(out.empty() ? "map[" : " ").append(name).append(":").append(Printed(*member));
  }
  return out.empty() ? "map[]" : out + "]";
}

std::string_view GoTypeOf(const json::Value& value) {
  switch (value.type()) {
    case json::Type::kNull:
      return "<nil>";
    case json::Type::kBool:
      return "bool";
    case json::Type::kNumber:
      return value.is_integer() && value.AsInt64() ? "int64" : "float64";
    case json::Type::kString:
      return "string";
    case json::Type::kArray:
      return "[]interface {}";
    case json::Type::kObject:
      break;
  }
  return "map[string]interface {}";
}

// Returns the cause that a real server reports for a value of the wrong type. `zero`: value shown
// in the cause; `at`: path at which the value was read.
StatusCause NotOfType(const std::string& field, std::string_view zero, std::string_view at,
                      const json::Value& value, std::string_view wanted) {
  return InvalidValue(field, zero,
                      std::string(at) + " accessor error: " + Printed(value) + " is of the type " +
                          std::string(GoTypeOf(value)) + ", expected " + std::string(wanted));
}

// Returns the value at a path like ".spec.replicas"; null if there is none, or if the path cannot
// be followed, which is added to `causes`.
const json::Value* Follow(const json::Value& object, const std::string& path, std::string_view zero,
                          std::vector<StatusCause>& causes) {
  const json::Value* at = &object;
  std::size_t done = 0;
  while (at != nullptr && !at->is_null() && done < path.size()) {
    const std::size_t start = done + 1;
    done = std::min(path.find('.', start), path.size());
    if (!at->is_object()) {
      causes.push_back(NotOfType(path, zero, std::string_view(path).substr(0, done), *at,
                                 "map[string]interface{}"));
      return nullptr;
    }
    at = at->Find(std::string_view(path).substr(start, done - start));
  }
  return done < path.size() ? nullptr : at;
}

void CheckReplicas(const json::Value& object, const std::string& path,
                   std::vector<StatusCause>& causes) {
  if (path.empty()) return;
  const json::Value* const value = Follow(object, path, "0", causes);
  if (value == nullptr) return;
  const std::optional<std::int64_t> count = value->is_integer() ? value->AsInt64() : std::nullopt;
  if (!count) {
    causes.push_back(NotOfType(path, "0", path, *value, "int64"));
  } else if (*count < 0) {
    causes.push_back(
        InvalidValue(path, std::to_string(*count), "should be a non-negative integer"));
  } else if (*count > std::numeric_limits<std::int32_t>::max()) {
    causes.push_back(
        InvalidValue(path, std::to_string(*count), "should be less than or equal to 2147483647"));
  }
}

void CheckSelector(const json::Value& object, const std::string& path,
                   std::vector<StatusCause>& causes) {
  if (path.empty()) return;
  const json::Value* const value = Follow(object, path, R"("")", causes);
  if (value == nullptr || value->is_string()) return;
  causes.push_back(NotOfType(path, R"("")", path, *value, "string"));
}

}  // namespace

Result<void> FillDefaults(const StructuralSchema& schema, json::Value& object, bool keeps_nulls) {
  if (ApplyDefaults(schema.root(), object, keeps_nulls)) return {};
  return Error(Reason::kRequestEntityTooLarge,
               "Request entity too large: the defaults of its schema would add more than " +
                   std::to_string(kMaxDefaultBytes) +
                   " bytes: leave out some of its items, or "
                   "take defaults out of the definition")
      .WithHttpStatus(413);
}

Result<void> ApplySchema(const StructuralSchema& schema, json::Value& object) {
  PruneObject(schema.root(), object);
  Result<void> filled = FillDefaults(schema, object);
  StoreIntegers(schema.root(), object);
  return filled;
}

std::vector<std::string> UnknownFieldProblems(const ResourceAt& at, const json::Value& object,
                                              bool applies) {
  std::vector<std::string> problems;
  if (at.version->schema == nullptr) return problems;
  const SchemaNode& root = at.version->schema->root();
  for (const std::string& path :
       applies ? UndeclaredFields(root, object) : UnknownFields(root, object)) {
    problems.push_back("unknown field \"" + path + "\"");
  }
  return problems;
}

Result<void> PrepareCustomObject(const ResourceAt& at, json::Value& object, bool applies) {
  const ServedVersion& version = *at.version;
  if (version.schema == nullptr) return {};
  if (const std::string error = MetadataTypeError(version.schema->root(), object); !error.empty()) {
    return version.NotHandled(error);
  }
  object.Set("apiVersion", version.api_version);
  object.Set("kind", version.kind);
  PruneObject(version.schema->root(), object);
  return FillDefaults(*version.schema, object, applies);
}

bool HasUnknownFields(const ResourceAt& at, const json::Value& object) {
  if (at.version->schema == nullptr) return false;
  const std::vector<std::string> unknown = UnknownFields(at.version->schema->root(), object);
  const bool has_status = at.HasStatus();
  return std::ranges::any_of(unknown, [&](const std::string& path) {
    return !path.starts_with("metadata") && !(has_status && path.starts_with("status"));
  });
}

std::vector<StatusCause> ValidateCustomObject(const ResourceAt& at, bool status,
                                              const json::Value& object, const json::Value* old,
                                              std::vector<std::string>& warnings) {
  if (at.version->schema == nullptr) return {};
  const SchemaNode& root = at.version->schema->root();
  std::vector<StatusCause> causes = status && old != nullptr ? ValidateStatus(root, object, *old)
                                                             : ValidateObject(root, object, old);
  const Subresource* const scale = at.FindSubresource("scale");
  if (scale != nullptr) {
    if (!status) CheckReplicas(object, scale->spec_path, causes);
    CheckReplicas(object, scale->status_path, causes);
    CheckSelector(object, scale->selector_path, causes);
  }
  if (root.has_rules) {
    json::Value same;
    if (old != nullptr && (*old)["apiVersion"] != object["apiVersion"]) {
      // Rules see both in the version that is written.
      same = *old;
      for (const char* const name : {"apiVersion", "kind"}) same.Set(name, object[name]);
      old = &same;
    }
    std::vector<StatusCause> broken = ValidateRules(root, object, old, causes, warnings);
    std::ranges::move(broken, std::back_inserter(causes));
  }
  return causes;
}

Result<void> ToStorageVersion(const ResourceAt& at, json::Value& object) {
  const auto storage = at.resource->StorageVersion();
  if (storage == nullptr || storage->schema == nullptr) return {};
  if (storage != at.version) return ApplySchema(*storage->schema, object);
  const SchemaNode& root = storage->schema->root();
  Result<void> filled;
  if (root.has_defaults) filled = FillDefaults(*storage->schema, object);
  StoreIntegers(root, object);
  return filled;
}

}  // namespace kinformer::apiserver
