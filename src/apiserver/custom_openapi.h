// apiserver/custom_openapi.h
//
// A custom resource in the OpenAPI documents: what `kubectl explain` shows of its fields.

#ifndef KINFORMER_SRC_APISERVER_CUSTOM_OPENAPI_H_
#define KINFORMER_SRC_APISERVER_CUSTOM_OPENAPI_H_

#include <string>
#include <string_view>

#include "kinformer/json.h"

#include "apiserver/served_resource.h"

namespace kinformer::apiserver {

// "example.com", "v1", "Widget": com.example.v1.Widget.
std::string OpenApiName(std::string_view group, std::string_view version, std::string_view kind);

// The schema of its objects; without x-kubernetes-group-version-kind.
json::Value CustomOpenApiSchema(const ServedVersion& version);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_CUSTOM_OPENAPI_H_
