// apiserver/builtin/defaults_computed.h
//
// Defaults that the table cannot express, since they depend on more than the members of one
// message.

#ifndef KINFORMER_APISERVER_BUILTIN_DEFAULTS_COMPUTED_H_
#define KINFORMER_APISERVER_BUILTIN_DEFAULTS_COMPUTED_H_

#include <string_view>

#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Sets computed defaults in the members of a message. Members are as the client sent them; their
// types have not been checked yet.
using ComputedDefaults = void (*)(json::Object& members);

// Returns null if there are none. `message`: "k8s.io.api.core.v1.PodSpec"; `kind`: "v1 Pod", or
// empty for kinds without special rules.
ComputedDefaults ComputedDefaultsOf(std::string_view message, std::string_view kind);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_DEFAULTS_COMPUTED_H_
