// apiserver/builtin/runtime_class.h
//
// Effects of a pod's RuntimeClass on the pod.

#ifndef KINFORMER_APISERVER_BUILTIN_RUNTIME_CLASS_H_
#define KINFORMER_APISERVER_BUILTIN_RUNTIME_CLASS_H_

#include <string>

#include "kinformer/json/json.h"

#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// Adds overhead, node selector and tolerations of its class to the spec of a new pod. Returns why
// the pod is forbidden; empty if it is not. Counterpart: the admission plugin RuntimeClass.
[[nodiscard]] std::string ApplyRuntimeClass(const ServerState& state, json::Value& spec);

// Returns whether the spec of a new pod has an overhead that its class does not define, which is
// forbidden once the pod is valid.
[[nodiscard]] bool HasStrayOverhead(const ServerState& state, const json::Value& spec);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_RUNTIME_CLASS_H_
