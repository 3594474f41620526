// apiserver/registry/custom_resource_definition_check.h
//
// What is demanded of a CustomResourceDefinition before it is taken.

#ifndef KINFORMER_APISERVER_REGISTRY_CUSTOM_RESOURCE_DEFINITION_CHECK_H_
#define KINFORMER_APISERVER_REGISTRY_CUSTOM_RESOURCE_DEFINITION_CHECK_H_

#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"

namespace kinformer::apiserver {

// What is wrong with a definition whose defaults are filled in; empty: nothing. `old` is what it is
// written over, null for a new one.
std::vector<StatusCause> CheckDefinition(const json::Value& definition, const json::Value* old);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_CUSTOM_RESOURCE_DEFINITION_CHECK_H_
