// apiserver/builtin/defaults_computed.h
//
// The defaults that a table cannot say, since they are worked out from more than the members of one
// message.

#ifndef KINFORMER_APISERVER_BUILTIN_DEFAULTS_COMPUTED_H_
#define KINFORMER_APISERVER_BUILTIN_DEFAULTS_COMPUTED_H_

#include <string_view>

#include "kinformer/json.h"

namespace kinformer::apiserver {

// Fills in what is computed, in the members of a message as they were sent; types are not checked
// yet.
using ComputedDefaults = void (*)(json::Object& members);

// Null: nothing is computed. `message`: "k8s.io.api.core.v1.PodSpec"; `kind`: "v1 Pod", or empty
// for kinds about which nothing special is known.
ComputedDefaults ComputedDefaultsOf(std::string_view message, std::string_view kind);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_DEFAULTS_COMPUTED_H_
