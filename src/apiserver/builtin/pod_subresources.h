// apiserver/builtin/pod_subresources.h
//
// The parts of a pod that are written through subresources of their own, because a pod's spec is
// settled once it exists: debug containers are added by `ephemeralcontainers`, CPU and memory
// changed by `resize`.

#ifndef KINFORMER_APISERVER_BUILTIN_POD_SUBRESOURCES_H_
#define KINFORMER_APISERVER_BUILTIN_POD_SUBRESOURCES_H_

#include <string_view>
#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"

namespace kinformer::apiserver {

// `old` with the ephemeral containers of `sent`, and nothing else of it.
[[nodiscard]] json::Value MergeEphemeralContainers(const json::Value& old, const json::Value& sent);
// What is wrong with that; empty: nothing. Containers can be added, and neither changed nor taken
// away.
std::vector<StatusCause> ValidateEphemeralContainers(const json::Value& old,
                                                     const json::Value& pod);

// `old` with the resources of the containers of `sent`, and how they want to be resized.
[[nodiscard]] json::Value MergeResize(const json::Value& old, const json::Value& sent);
// What is wrong with that: only CPU and memory change, limits stay above requests and do not go,
// and the class of service stays.
std::vector<StatusCause> ValidateResize(const json::Value& old, const json::Value& pod);

// The class of service that follows from what the containers of a pod's spec ask for.
[[nodiscard]] std::string_view QosClassOf(const json::Value& spec);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_POD_SUBRESOURCES_H_
