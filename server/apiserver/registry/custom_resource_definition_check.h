// apiserver/registry/custom_resource_definition_check.h
//
// Validation of a CustomResourceDefinition before it is stored.

#ifndef KINFORMER_APISERVER_REGISTRY_CUSTOM_RESOURCE_DEFINITION_CHECK_H_
#define KINFORMER_APISERVER_REGISTRY_CUSTOM_RESOURCE_DEFINITION_CHECK_H_

#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Returns the problems of a definition whose defaults are set; empty if there are none. `old` is
// the definition it replaces, null for a new one.
std::vector<StatusCause> CheckDefinition(const json::Value& definition, const json::Value* old);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_CUSTOM_RESOURCE_DEFINITION_CHECK_H_
