// apiserver/discovery/custom_paths.h
//
// Paths of a custom resource in an OpenAPI document, as a real server publishes them.

#ifndef KINFORMER_APISERVER_DISCOVERY_CUSTOM_PATHS_H_
#define KINFORMER_APISERVER_DISCOVERY_CUSTOM_PATHS_H_

#include "kinformer/json/json.h"

#include "apiserver/discovery/openapi_paths.h"
#include "apiserver/discovery/openapi_schemas.h"

namespace kinformer::apiserver {

// Adds the paths of the resource and its subresources to `paths`, an object, and the schemas that
// they refer to. Has all of a real server's documents but descriptions of operations and
// parameters, and, in OpenAPI 2, names of shared parameters: each path has its own there.
void AddCustomPaths(const OpenApiResource& at, OpenApiSchemas& schemas, json::Value& paths);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_CUSTOM_PATHS_H_
