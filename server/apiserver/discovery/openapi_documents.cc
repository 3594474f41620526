#include "apiserver/discovery/openapi_documents.h"

#include <algorithm>
#include <utility>

#include "kinformer/internal/registry.h"

#include "apiserver/discovery/custom_paths.h"
#include "apiserver/discovery/kubernetes_version.h"
#include "apiserver/discovery/openapi_paths.h"

namespace kinformer::apiserver {
namespace {

using json::Value;

constexpr const char* kSelectable = "x-kubernetes-selectable-fields";

std::string ListKind(const ServedResource& resource, const ServedVersion& version) {
  return resource.list_kind.empty() ? version.kind + "List" : resource.list_kind;
}

// Adds the schemas and the paths of a custom resource.
void FillCustom(OpenApiResource at, const ServedVersion& version, OpenApiSchemas& schemas,
                Value& paths) {
  at.object_schema =
      schemas.AddCustom(at.kind, version.schema == nullptr ? Value() : version.schema->source());
  at.list_schema = schemas.AddList(at.kind, ListKind(at.resource, version), at.object_schema);
  if (!version.selectable.empty()) {
    Value fields = Value::MakeArray();
    for (const std::string& field : version.selectable) {
      fields.Append(Value::MakeObject({{"fieldPath", field}}));
    }
    schemas.At(at.object_schema).Set(kSelectable, fields);
    schemas.At(at.list_schema).Set(kSelectable, std::move(fields));
  }
  AddCustomPaths(at, schemas, paths);
}

Value About(bool custom) {
  return Value::MakeObject({{"title", custom ? "Kubernetes CRD Swagger" : "Kubernetes"},
                            {"version", custom ? std::string_view("v0.1.0") : kKubernetesVersion}});
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

bool OpenApiDocuments::Fill(const GroupVersionEntry& gv, OpenApiSchemas& schemas,
                            json::Value& paths) const {
  bool custom = false;
  for (const auto& resource : resources_) {
    if (resource->group != gv.group) continue;
    const auto served = resource->FindVersion(gv.version);
    if (served == nullptr) continue;
    OpenApiResource at{.resource = *resource,
                       .kind = {.group = gv.group, .version = gv.version, .kind = served->kind}};
    if (served->message == nullptr) {
      FillCustom(std::move(at), *served, schemas, paths);
      custom = true;
      continue;
    }
    at.object_schema = schemas.AddBuiltin(at.kind, *served->message);
    if (resource->HasVerb("list")) {
      at.list_schema = schemas.AddList(at.kind, ListKind(*resource, *served), at.object_schema);
    }
    for (const Subresource& sub : resource->subresources) {
      if (!sub.IsIn(gv.version)) continue;
      // Eviction, Scale and Binding are served by no resource of their own.
      const OpenApiKind kind{.group = sub.group, .version = sub.version, .kind = sub.kind};
      const KindInfo* const type = internal::FindType(kind.group, kind.version, kind.kind);
      if (type != nullptr && type->message != nullptr) schemas.AddBuiltin(kind, *type->message);
    }
    if (schemas.form() == OpenApiVersion::kV3) AddPaths(at, schemas, paths);
  }
  return custom;
}

std::string OpenApiDocuments::V3(const GroupVersionEntry& gv) const {
  OpenApiSchemas schemas(OpenApiVersion::kV3);
  Value paths = Value::MakeObject();
  const bool custom = Fill(gv, schemas, paths);
  return Value::MakeObject({{"openapi", "3.0.0"},
                            {"info", About(custom)},
                            {"paths", std::move(paths)},
                            {"components", Value::MakeObject({{"schemas", schemas.Take()}})}})
      .Dump();
}

std::string OpenApiDocuments::V2() const {
  OpenApiSchemas schemas(OpenApiVersion::kV2);
  Value paths = Value::MakeObject();
  for (const GroupVersionEntry& gv : group_versions_) Fill(gv, schemas, paths);
  const Value token =
      Value::MakeObject({{"type", "apiKey"}, {"name", "authorization"}, {"in", "header"}});
  return Value::MakeObject(
             {{"swagger", "2.0"},
              {"info", About(/*custom=*/false)},
              {"paths", std::move(paths)},
              {"definitions", schemas.Take()},
              {"securityDefinitions", Value::MakeObject({{"BearerToken", token}})},
              {"security",
               Value::MakeArray({Value::MakeObject({{"BearerToken", Value::MakeArray()}})})}})
      .Dump();
}

}  // namespace kinformer::apiserver
