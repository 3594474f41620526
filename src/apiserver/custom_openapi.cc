#include "apiserver/custom_openapi.h"

#include <utility>

namespace kinformer::apiserver {
namespace {

json::Value Described(std::string_view type, std::string_view description) {
  return json::Value::MakeObject({{"description", description}, {"type", type}});
}

}  // namespace

std::string OpenApiName(std::string_view group, std::string_view version, std::string_view kind) {
  std::string name;
  while (!group.empty()) {
    const std::size_t dot = group.rfind('.');
    const std::size_t begin = dot == std::string_view::npos ? 0 : dot + 1;
    name.append(group.substr(begin)).push_back('.');
    group = group.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return name.append(version).append(".").append(kind);
}

json::Value CustomOpenApiSchema(const ServedVersion& version) {
  json::Value schema =
      version.schema == nullptr ? json::Value::MakeObject() : version.schema->source();
  schema.Set("type", "object");
  // In front, as in the objects themselves.
  json::Value properties = json::Value::MakeObject(
      {{"apiVersion",
        Described("string", "The group and version of the schema that this object follows.")},
       {"kind", Described("string", "The kind of this object, in CamelCase.")},
       {"metadata", Described("object", "Standard object's metadata: ObjectMeta.")}});
  for (const auto& [name, property] : std::as_const(schema)["properties"].members()) {
    if (!properties.contains(name)) properties.Set(name, property);
  }
  schema.Set("properties", std::move(properties));
  if (!version.selectable.empty()) {
    json::Value fields = json::Value::MakeArray();
    for (const std::string& field : version.selectable) {
      fields.Append(json::Value::MakeObject({{"fieldPath", field}}));
    }
    schema.Set("x-kubernetes-selectable-fields", std::move(fields));
  }
  return schema;
}

}  // namespace kinformer::apiserver
