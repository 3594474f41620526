// apiserver/builtin/runtime_class.h
//
// What the RuntimeClass that a pod names makes of the pod.

#ifndef KINFORMER_APISERVER_BUILTIN_RUNTIME_CLASS_H_
#define KINFORMER_APISERVER_BUILTIN_RUNTIME_CLASS_H_

#include <string>

#include "kinformer/json.h"

#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// Gives the spec of a new pod its class's overhead, node selector and tolerations. Why the pod is
// forbidden; empty: it is not. Counterpart: the admission plugin RuntimeClass.
[[nodiscard]] std::string ApplyRuntimeClass(const ServerState& state, json::Value& spec);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_RUNTIME_CLASS_H_
