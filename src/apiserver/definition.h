// apiserver/definition.h
//
// CustomResourceDefinitions as objects: their defaults, what is demanded of them, their conditions.

#ifndef KINFORMER_SRC_APISERVER_DEFINITION_H_
#define KINFORMER_SRC_APISERVER_DEFINITION_H_

#include <string>
#include <string_view>
#include <utility>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/served_resource.h"

namespace kinformer::apiserver {

inline constexpr std::string_view kDefinitionFinalizer =
    "customresourcecleanup.apiextensions.k8s.io";

bool IsDefinition(const ServedResource& resource);

// Fills in the defaults of a definition and checks it; anything else is left alone.
Result<void> PrepareDefinition(const ServedResource& resource, json::Value& object);

// status.conditions and what belongs to them, for a definition whose names are free, or taken by `conflict` (reason, message).
void SetDefinitionStatus(json::Value& definition,
                         const std::pair<std::string, std::string>& conflict, std::string_view now);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_DEFINITION_H_
