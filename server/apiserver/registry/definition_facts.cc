#include "apiserver/registry/definition_facts.h"

namespace kinformer::apiserver {

bool IsProtectedGroup(std::string_view group) {
  return group == "k8s.io" || group == "kubernetes.io" || group.ends_with(".k8s.io") ||
         group.ends_with(".kubernetes.io");
}

bool HasCondition(const json::Value& definition, std::string_view type) {
  for (const json::Value& condition : definition.At("/status/conditions").items()) {
    if (condition["type"].StringOrEmpty() == type) {
      return condition["status"].StringOrEmpty() == "True";
    }
  }
  return false;
}

bool IsServing(const json::Value& definition) {
  return HasCondition(definition, "Established") || HasCondition(definition, "NamesAccepted");
}

}  // namespace kinformer::apiserver
