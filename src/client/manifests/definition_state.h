// client/manifests/definition_state.h
//
// The state of a CustomResourceDefinition on a server.

#ifndef KINFORMER_CLIENT_MANIFESTS_DEFINITION_STATE_H_
#define KINFORMER_CLIENT_MANIFESTS_DEFINITION_STATE_H_

#include <string>

#include "kinformer/json/json.h"

namespace kinformer::internal::manifests {

// Returns why the definition is not established; empty if it is.
std::string LacksToBeEstablished(const json::Value& definition);

}  // namespace kinformer::internal::manifests

#endif  // KINFORMER_CLIENT_MANIFESTS_DEFINITION_STATE_H_
