// apiserver/registry/custom_resource_definition.h
//
// CustomResourceDefinitions as objects: their defaults and validation, their conditions, their
// accepted names, and the finalizer of their deletion.

#ifndef KINFORMER_APISERVER_REGISTRY_CUSTOM_RESOURCE_DEFINITION_H_
#define KINFORMER_APISERVER_REGISTRY_CUSTOM_RESOURCE_DEFINITION_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

inline constexpr std::string_view kDefinitionFinalizer =
    "customresourcecleanup.apiextensions.k8s.io";

bool IsDefinition(const ServedResource& resource);

// Sets the defaults of a definition before it is stored, and validates it. Ignores all other
// resources. `old` is the definition it replaces, null for a new one.
Result<void> PrepareDefinition(const ServedResource& resource, json::Value& object,
                               const json::Value* old);

// Returns warnings about parts of the definition that have no effect.
std::vector<std::string> DefinitionWarnings(const json::Value& definition);

// Names in a group that other resources use.
struct TakenNames {
  std::set<std::string> resources{};  // plural, singular and short ones
  std::set<std::string> kinds{};      // kinds of objects and lists

  // Adds the status.acceptedNames of a definition.
  void Add(const json::Value& accepted);
};

// Sets status.acceptedNames and the conditions that depend on them. Counterpart: the naming,
// establishing and approval controllers of apiextensions-apiserver.
void SetDefinitionStatus(json::Value& definition, const TakenNames& taken, std::string_view now);

// Progress of the deletion of the resource's objects, reported in the condition Terminating.
enum class DeletionStep { kPending, kInProgress, kCompleted };
void SetTerminating(json::Value& definition, DeletionStep step, std::string_view now);

// Sets the finalizer and the condition of a definition that a client deletes.
void PrepareDeletion(json::Value& definition, std::string_view now);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_CUSTOM_RESOURCE_DEFINITION_H_
