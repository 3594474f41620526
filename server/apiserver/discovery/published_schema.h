// apiserver/discovery/published_schema.h
//
// The schema of a custom resource as OpenAPI documents show it, from that of its definition.

#ifndef KINFORMER_APISERVER_DISCOVERY_PUBLISHED_SCHEMA_H_
#define KINFORMER_APISERVER_DISCOVERY_PUBLISHED_SCHEMA_H_

#include "kinformer/json/json.h"

#include "apiserver/discovery/openapi_form.h"

namespace kinformer::apiserver {

// `schema`: openAPIV3Schema of a definition. `metadata`: what a member refers to that is the
// metadata of a whole object; embedded objects have it, too.
//
// In OpenAPI 3, a value that is a number or a string says so in `anyOf`. OpenAPI 2 has no choices,
// nothing that is nullable and no defaults: values of these kinds have no type there, and whatever
// keeps unknown members has no members. Counterpart: controller/openapi/builder.
[[nodiscard]] json::Value PublishedSchema(const json::Value& schema, OpenApiVersion form,
                                          const json::Value& metadata);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_PUBLISHED_SCHEMA_H_
