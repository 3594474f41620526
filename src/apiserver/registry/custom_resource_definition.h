// apiserver/registry/custom_resource_definition.h
//
// CustomResourceDefinitions as objects: their defaults, their conditions, and the names that they
// have been given.

#ifndef KINFORMER_APISERVER_REGISTRY_CUSTOM_RESOURCE_DEFINITION_H_
#define KINFORMER_APISERVER_REGISTRY_CUSTOM_RESOURCE_DEFINITION_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

inline constexpr std::string_view kDefinitionFinalizer =
    "customresourcecleanup.apiextensions.k8s.io";

bool IsDefinition(const ServedResource& resource);

// Groups that belong to Kubernetes itself: definitions for them need an approval.
bool IsProtectedGroup(std::string_view group);

// Fills in the defaults of a definition that is to be stored and checks it; anything else is left
// alone. `old` is what it is written over, null for a new one.
Result<void> PrepareDefinition(const ServedResource& resource, json::Value& object,
                               const json::Value* old);

// What is not wrong with a definition, but of no effect.
std::vector<std::string> DefinitionWarnings(const json::Value& definition);

// Whether a condition of that type is True.
bool HasCondition(const json::Value& definition, std::string_view type);

// Its resource is served: its names were accepted once, and nobody has deleted it.
bool IsServing(const json::Value& definition);

// The names in a group that others have.
struct TakenNames {
  std::set<std::string> resources{};  // plural, singular and short ones
  std::set<std::string> kinds{};      // of objects and lists

  // Adds status.acceptedNames of a definition.
  void Add(const json::Value& accepted);
};

// Sets status.acceptedNames and the conditions that follow from them. Counterpart: the naming,
// establishing and approval controllers of apiextensions-apiserver.
void SetDefinitionStatus(json::Value& definition, const TakenNames& taken, std::string_view now);

// How far the deletion of its objects has come: the condition Terminating.
enum class DeletionStep { kPending, kInProgress, kCompleted };
void SetTerminating(json::Value& definition, DeletionStep step, std::string_view now);

// The finalizer and the condition that a definition gets when it is deleted.
void PrepareDeletion(json::Value& definition, std::string_view now);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_CUSTOM_RESOURCE_DEFINITION_H_
