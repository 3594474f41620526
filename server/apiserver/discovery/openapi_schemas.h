// apiserver/discovery/openapi_schemas.h
//
// OpenApiSchemas: collects the schemas of an OpenAPI document: those of built-in types from their
// descriptors, with all types they refer to, and those of custom types from their definition.
// Schemas contain members, types, required members, enumerations and merge rules of lists, but no
// descriptions and no defaults.

#ifndef KINFORMER_APISERVER_DISCOVERY_OPENAPI_SCHEMAS_H_
#define KINFORMER_APISERVER_DISCOVERY_OPENAPI_SCHEMAS_H_

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"

#include "apiserver/discovery/openapi_form.h"

namespace kinformer::apiserver {

struct OpenApiKind {
  std::string group{};
  std::string version{};
  std::string kind{};
  // Returns {"group":...,"version":...,"kind":...}
  [[nodiscard]] json::Value ToJson() const;
};

class OpenApiSchemas {
 public:
  explicit OpenApiSchemas(OpenApiVersion form) : form_(form) {}
  [[nodiscard]] OpenApiVersion form() const { return form_; }

  // Each returns the schema's name. Adding a schema again has no effect.
  std::string AddMessage(const internal::MessageDescriptor& message);
  std::string AddBuiltin(const OpenApiKind& kind, const internal::MessageDescriptor& message);
  // `schema` is that of the whole object, as in openAPIV3Schema; null: any object. It gets the form
  // of published_schema.h.
  std::string AddCustom(const OpenApiKind& kind, const json::Value& schema);
  // Adds the list of a kind whose schema is named `item`.
  std::string AddList(const OpenApiKind& kind, std::string_view list_kind, const std::string& item);
  // Adds a type of meta_schemas.h, and those that it refers to.
  std::string AddMetaSchema(std::string_view name);

  // Returns {"$ref":...} to the schema of that name.
  [[nodiscard]] json::Value Reference(std::string_view name) const {
    return SchemaReference(form_, name);
  }
  // Returns the schema of that name, to be changed. REQUIRES: it was added.
  [[nodiscard]] json::Value& At(const std::string& name) { return schemas_.at(name); }
  // Returns all schemas, by name. Leaves this empty.
  json::Value Take();

 private:
  json::Value SchemaOf(const internal::MessageDescriptor& message);
  // `message` is `owner` or a message inlined in it, whose fields belong to the owner.
  void AddMembers(const internal::MessageDescriptor& owner,
                  const internal::MessageDescriptor& message,
                  std::map<std::string, json::Value>& members, json::Value& required);
  json::Value MemberOf(const internal::MessageDescriptor& owner,
                       const internal::FieldDescriptor& field);
  json::Value ScalarOf(const internal::MessageDescriptor& owner,
                       const internal::FieldDescriptor& field);
  // Adds one of apimachinery's types that are no messages.
  std::string AddPlain(std::string_view name, const json::Value& schema);

  OpenApiVersion form_;
  std::map<std::string, json::Value, std::less<>> schemas_;
  std::set<std::string> meta_schemas_;  // full names of those added
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_OPENAPI_SCHEMAS_H_
