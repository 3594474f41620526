// apiserver/discovery/meta_schemas.h
//
// Schemas of the types of meta/v1 and of the Scale, which the paths of custom resources refer to.

#ifndef KINFORMER_APISERVER_DISCOVERY_META_SCHEMAS_H_
#define KINFORMER_APISERVER_DISCOVERY_META_SCHEMAS_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/discovery/openapi_form.h"

namespace kinformer::apiserver {

struct MetaSchema {
  json::Value schema{};
  std::vector<std::string> refers_to{};  // full names of others
};

// Returns the full name of a type of meta/v1: "Status"; and of others of autoscaling/v1: "Scale".
[[nodiscard]] std::string MetaSchemaName(std::string_view name);

// `name`: one of DeleteOptions, FieldsV1, ListMeta, ManagedFieldsEntry, ObjectMeta,
// OwnerReference, Patch, Preconditions, Scale, ScaleSpec, ScaleStatus, ShardInfo, Status,
// StatusCause, StatusDetails, Time.
[[nodiscard]] MetaSchema MetaSchemaOf(std::string_view name, OpenApiVersion form);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_META_SCHEMAS_H_
