#include "apiserver/discovery/openapi_paths.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace kinformer::apiserver {
namespace {

using json::Value;

struct Parameter {
  const char* name;
  const char* type;
};

constexpr std::initializer_list<Parameter> kWriting = {
    {"dryRun", "string"}, {"fieldManager", "string"}, {"fieldValidation", "string"}};
constexpr std::initializer_list<Parameter> kPatching = {{"dryRun", "string"},
                                                        {"fieldManager", "string"},
                                                        {"fieldValidation", "string"},
                                                        {"force", "boolean"}};
constexpr std::initializer_list<Parameter> kDeleting = {{"dryRun", "string"},
                                                        {"gracePeriodSeconds", "integer"},
                                                        {"orphanDependents", "boolean"},
                                                        {"propagationPolicy", "string"}};
constexpr std::initializer_list<Parameter> kListing = {{"allowWatchBookmarks", "boolean"},
                                                       {"continue", "string"},
                                                       {"fieldSelector", "string"},
                                                       {"labelSelector", "string"},
                                                       {"limit", "integer"},
                                                       {"resourceVersion", "string"},
                                                       {"resourceVersionMatch", "string"},
                                                       {"sendInitialEvents", "boolean"},
                                                       {"shardSelector", "string"},
                                                       {"timeoutSeconds", "integer"},
                                                       {"watch", "boolean"}};

Value ToParameter(const Parameter& parameter, const char* in) {
  Value out = Value::MakeObject({{"name", parameter.name}, {"in", in}});
  if (std::string_view(in) == "path") out.Set("required", true);
  out.Set("schema", Value::MakeObject({{"type", parameter.type}}));
  return out;
}

Value Content(std::initializer_list<const char*> types, const Value& schema) {
  Value content = Value::MakeObject();
  for (const char* const type : types) {
    content.Set(type, Value::MakeObject({{"schema", schema}}));
  }
  return content;
}

// Makes the operations of one resource.
class Operations {
 public:
  Operations(const OpenApiResource& at, const OpenApiSchemas& schemas)
      : at_(at),
        object_(schemas.Reference(at.object_schema)),
        list_(schemas.Reference(at.list_schema)) {}

  [[nodiscard]] Value Read(const OpenApiKind& kind) const { return Make("get", kind, {}, object_); }
  [[nodiscard]] Value List() const { return Make("list", at_.kind, kListing, list_); }
  [[nodiscard]] Value Create(const OpenApiKind& kind) const {
    Value out = Make("post", kind, kWriting, object_);
    out.Set("requestBody", Body({"*/*"}, object_));
    return out;
  }
  [[nodiscard]] Value Update(const OpenApiKind& kind) const {
    Value out = Make("put", kind, kWriting, object_);
    out.Set("requestBody", Body({"*/*"}, object_));
    return out;
  }
  [[nodiscard]] Value Patch(const OpenApiKind& kind) const {
    Value out = Make("patch", kind, kPatching, object_);
    const Value any = Value::MakeObject({{"type", "object"}});
    Value body = Body({"application/apply-patch+yaml", "application/json-patch+json",
                       "application/merge-patch+json"},
                      any);
    if (!at_.resource.custom) {
      body.Ensure("content").Set("application/strategic-merge-patch+json",
                                 Value::MakeObject({{"schema", any}}));
    }
    out.Set("requestBody", std::move(body));
    return out;
  }
  [[nodiscard]] Value Delete(const char* action) const {
    return Make(action, at_.kind, kDeleting, Value::MakeObject({{"type", "object"}}));
  }

 private:
  static Value Body(std::initializer_list<const char*> types, const Value& schema) {
    return Value::MakeObject({{"content", Content(types, schema)}, {"required", true}});
  }

  [[nodiscard]] Value Make(const char* action, const OpenApiKind& kind,
                           std::initializer_list<Parameter> parameters, const Value& answer) const {
    Value out = Value::MakeObject();
    if (parameters.size() > 0) {
      Value list = Value::MakeArray();
      for (const Parameter& parameter : parameters) list.Append(ToParameter(parameter, "query"));
      out.Set("parameters", std::move(list));
    }
    const Value content = at_.resource.custom
                              ? Content({"application/json", "application/yaml"}, answer)
                              : Content({"application/json", "application/vnd.kubernetes.protobuf",
                                         "application/yaml"},
                                        answer);
    const Value ok = Value::MakeObject({{"description", "OK"}, {"content", content}});
    out.Set("responses", Value::MakeObject({{"200", ok}}));
    out.Set("x-kubernetes-action", action);
    out.Set("x-kubernetes-group-version-kind", kind.ToJson());
    return out;
  }

  const OpenApiResource& at_;
  Value object_;
  Value list_;
};

void SetPath(Value& paths, const std::string& path, Value item) {
  if (item.size() == 0) return;
  Value parameters = Value::MakeArray();
  for (const char* const name : {"name", "namespace"}) {
    if (path.find("{" + std::string(name) + "}") == std::string::npos) continue;
    parameters.Append(ToParameter({name, "string"}, "path"));
  }
  if (parameters.size() > 0) item.Set("parameters", std::move(parameters));
  paths.Set(path, std::move(item));
}

}  // namespace

void AddPaths(const OpenApiResource& at, const OpenApiSchemas& schemas, json::Value& paths) {
  const ServedResource& resource = at.resource;
  const Operations make(at, schemas);
  const std::string root = at.kind.group.empty()
                               ? "/api/" + at.kind.version + "/"
                               : "/apis/" + at.kind.group + "/" + at.kind.version + "/";
  const std::string collection =
      root + (resource.namespaced ? "namespaces/{namespace}/" : "") + resource.plural;
  const std::string item = collection + "/{name}";

  Value all = Value::MakeObject();
  if (resource.HasVerb("list")) all.Set("get", make.List());
  if (resource.HasVerb("create")) all.Set("post", make.Create(at.kind));
  if (resource.HasVerb("deletecollection")) all.Set("delete", make.Delete("deletecollection"));
  SetPath(paths, collection, std::move(all));
  if (resource.namespaced && resource.HasVerb("list")) {
    Value everywhere = Value::MakeObject();
    everywhere.Set("get", make.List());
    SetPath(paths, root + resource.plural, std::move(everywhere));
  }

  Value one = Value::MakeObject();
  if (resource.HasVerb("get")) one.Set("get", make.Read(at.kind));
  if (resource.HasVerb("update")) one.Set("put", make.Update(at.kind));
  if (resource.HasVerb("delete")) one.Set("delete", make.Delete("delete"));
  if (resource.HasVerb("patch")) one.Set("patch", make.Patch(at.kind));
  SetPath(paths, item, std::move(one));

  for (const Subresource& sub : resource.subresources) {
    if (!sub.IsIn(at.kind.version)) continue;
    const OpenApiKind kind{.group = sub.group, .version = sub.version, .kind = sub.kind};
    Value part = Value::MakeObject();
    if (sub.HasVerb("get")) part.Set("get", make.Read(kind));
    if (sub.HasVerb("update")) part.Set("put", make.Update(kind));
    if (sub.HasVerb("create")) part.Set("post", make.Create(kind));
    if (sub.HasVerb("patch")) part.Set("patch", make.Patch(kind));
    SetPath(paths, item + "/" + sub.name, std::move(part));
  }
}

}  // namespace kinformer::apiserver
