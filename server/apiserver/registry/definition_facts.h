// apiserver/registry/definition_facts.h
//
// Facts about a CustomResourceDefinition, read from its object.

#ifndef KINFORMER_APISERVER_REGISTRY_DEFINITION_FACTS_H_
#define KINFORMER_APISERVER_REGISTRY_DEFINITION_FACTS_H_

#include <string_view>

#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Returns whether the group is reserved for Kubernetes; its definitions need an approval.
bool IsProtectedGroup(std::string_view group);

// Returns whether the condition of that type is True.
bool HasCondition(const json::Value& definition, std::string_view type);

// Returns whether the definition's resource is served: names accepted, and not being deleted.
bool IsServing(const json::Value& definition);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_DEFINITION_FACTS_H_
