#include "apiserver/discovery/openapi_documents.h"

#include <algorithm>
#include <utility>

#include "kinformer/internal/registry.h"

#include "apiserver/discovery/kubernetes_version.h"
#include "apiserver/discovery/openapi_paths.h"

namespace kinformer::apiserver {
namespace {

using json::Value;

// Returns the schema of a custom resource's objects, as in its definition.
Value CustomSchema(const ServedVersion& version) {
  Value schema = version.schema == nullptr ? Value::MakeObject() : version.schema->source();
  if (!version.selectable.empty()) {
    Value fields = Value::MakeArray();
    for (const std::string& field : version.selectable) {
      fields.Append(Value::MakeObject({{"fieldPath", field}}));
    }
    schema.Set("x-kubernetes-selectable-fields", std::move(fields));
  }
  return schema;
}

}  // namespace

OpenApiDocuments::OpenApiDocuments(const ServerState& state)
    : group_versions_(state.resources.GroupVersions()) {
  for (const auto& resource : state.resources.all()) {
    if (!resource->custom) {
      resources_.push_back(resource);
      continue;
    }
    auto own = std::make_shared<ServedResource>(*resource);
    own->stored = nullptr;
    own->store = nullptr;
    own->watchers = nullptr;
    resources_.push_back(std::move(own));
  }
}

void OpenApiDocuments::Fill(const GroupVersionEntry& gv, OpenApiSchemas& schemas,
                            json::Value* paths) const {
  for (const auto& resource : resources_) {
    if (resource->group != gv.group) continue;
    const auto served = resource->FindVersion(gv.version);
    if (served == nullptr) continue;
    OpenApiResource at{.resource = *resource,
                       .kind = {.group = gv.group, .version = gv.version, .kind = served->kind}};
    at.object_schema = served->message != nullptr
                           ? schemas.AddBuiltin(at.kind, *served->message)
                           : schemas.AddCustom(at.kind, CustomSchema(*served));
    const std::string list_kind =
        resource->list_kind.empty() ? served->kind + "List" : resource->list_kind;
    if (resource->HasVerb("list")) {
      at.list_schema = schemas.AddList(at.kind, list_kind, at.object_schema);
    }
    for (const Subresource& sub : resource->subresources) {
      if (!sub.IsIn(gv.version)) continue;
      // Eviction, Scale and Binding are served by no resource of their own.
      const OpenApiKind kind{.group = sub.group, .version = sub.version, .kind = sub.kind};
      const KindInfo* const type = internal::FindType(kind.group, kind.version, kind.kind);
      if (type != nullptr && type->message != nullptr) schemas.AddBuiltin(kind, *type->message);
    }
    if (paths != nullptr) AddPaths(at, schemas, *paths);
  }
}

std::string OpenApiDocuments::V3(const GroupVersionEntry& gv) const {
  OpenApiSchemas schemas(OpenApiVersion::kV3);
  Value paths = Value::MakeObject();
  Fill(gv, schemas, &paths);
  return Value::MakeObject({{"openapi", "3.0.0"},
                            {"info", Value::MakeObject({{"title", "Kubernetes"},
                                                        {"version", kKubernetesVersion}})},
                            {"paths", std::move(paths)},
                            {"components", Value::MakeObject({{"schemas", schemas.Take()}})}})
      .Dump();
}

std::string OpenApiDocuments::V2() const {
  OpenApiSchemas schemas(OpenApiVersion::kV2);
  for (const GroupVersionEntry& gv : group_versions_) Fill(gv, schemas, nullptr);
  return Value::MakeObject({{"swagger", "2.0"},
                            {"info", Value::MakeObject({{"title", "Kubernetes"},
                                                        {"version", kKubernetesVersion}})},
                            {"paths", Value::MakeObject()},
                            {"definitions", schemas.Take()}})
      .Dump();
}

}  // namespace kinformer::apiserver
