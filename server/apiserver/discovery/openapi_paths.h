// apiserver/discovery/openapi_paths.h
//
// Paths of an OpenAPI document: the operations that a resource supports, in the form that kubectl
// and other clients search for.

#ifndef KINFORMER_APISERVER_DISCOVERY_OPENAPI_PATHS_H_
#define KINFORMER_APISERVER_DISCOVERY_OPENAPI_PATHS_H_

#include <string>
#include <string_view>

#include "kinformer/json/json.h"

#include "apiserver/discovery/openapi_schemas.h"
#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// A resource in one version, and the names of the schemas of its objects and its list.
struct OpenApiResource {
  const ServedResource& resource;
  OpenApiKind kind{};
  std::string object_schema{};
  std::string list_schema{};
};

// Adds the paths of the resource and its subresources to `paths`, an object. PATCH includes
// strategic merge for built-in resources, whose schemas define how lists merge.
void AddPaths(const OpenApiResource& at, const OpenApiSchemas& schemas, json::Value& paths);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_OPENAPI_PATHS_H_
