// apiserver/builtin/pod_subresources.h
//
// Parts of a pod that are written through subresources of their own, since a pod's spec is
// otherwise immutable after creation: `ephemeralcontainers` adds debug containers, and `resize`
// changes the CPU and memory of containers.

#ifndef KINFORMER_APISERVER_BUILTIN_POD_SUBRESOURCES_H_
#define KINFORMER_APISERVER_BUILTIN_POD_SUBRESOURCES_H_

#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Returns `old` with the ephemeral containers of `sent`; all else of `sent` is ignored.
[[nodiscard]] json::Value MergeEphemeralContainers(const json::Value& old, const json::Value& sent);
// Returns the problems of that merge; empty if there are none. Containers can be added, but not
// changed or removed.
std::vector<StatusCause> ValidateEphemeralContainers(const json::Value& old,
                                                     const json::Value& pod);

// Returns `old` with the containers' resources and resize policies of `sent`.
[[nodiscard]] json::Value MergeResize(const json::Value& old, const json::Value& sent);
// Returns the problems of that merge. Only CPU and memory may change, limits must not fall below
// requests or be removed, and the QoS class must stay the same.
std::vector<StatusCause> ValidateResize(const json::Value& old, const json::Value& pod);

// Returns the QoS class (Guaranteed, Burstable, BestEffort) that the containers' resources imply.
[[nodiscard]] std::string_view QosClassOf(const json::Value& spec);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_POD_SUBRESOURCES_H_
