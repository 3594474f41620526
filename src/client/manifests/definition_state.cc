#include "client/manifests/definition_state.h"

namespace kinformer::internal::manifests {

std::string LacksToBeEstablished(const json::Value& definition) {
  std::string why = "it is not established";
  for (const json::Value& condition : definition["status"]["conditions"].items()) {
    const bool holds = condition["status"].StringOrEmpty() == "True";
    const std::string& type = condition["type"].StringOrEmpty();
    if (type == "Established" && holds) return "";
    if (type == "NamesAccepted" && !holds) why += ": " + condition["message"].StringOrEmpty();
  }
  return why;
}

}  // namespace kinformer::internal::manifests
