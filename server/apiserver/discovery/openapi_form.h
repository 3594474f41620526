// apiserver/discovery/openapi_form.h
//
// OpenApiVersion: the two forms of OpenAPI documents, and how each refers to a schema.

#ifndef KINFORMER_APISERVER_DISCOVERY_OPENAPI_FORM_H_
#define KINFORMER_APISERVER_DISCOVERY_OPENAPI_FORM_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/json/json.h"

namespace kinformer::apiserver {

enum class OpenApiVersion : std::uint8_t { kV2, kV3 };

// Returns {"$ref":...} to the schema of that name.
[[nodiscard]] inline json::Value SchemaReference(OpenApiVersion form, std::string_view name) {
  const char* const prefix =
      form == OpenApiVersion::kV3 ? "#/components/schemas/" : "#/definitions/";
  return json::Value::MakeObject({{"$ref", prefix + std::string(name)}});
}

// Returns a member's reference, wrapped: OpenAPI 3 allows nothing beside a bare $ref.
[[nodiscard]] inline json::Value MemberReference(OpenApiVersion form, std::string_view name) {
  json::Value reference = SchemaReference(form, name);
  if (form == OpenApiVersion::kV2) return reference;
  return json::Value::MakeObject({{"allOf", json::Value::MakeArray({std::move(reference)})}});
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_OPENAPI_FORM_H_
