// apiserver/discovery/openapi_facts.h
//
// Facts about built-in types that the API's schemas contain and the descriptors lack: which members
// are required, and which values a string may have. Recorded from a real server by
// codegen/openapi_facts.py. Constant.

#ifndef KINFORMER_APISERVER_DISCOVERY_OPENAPI_FACTS_H_
#define KINFORMER_APISERVER_DISCOVERY_OPENAPI_FACTS_H_

#include <string_view>

namespace kinformer::apiserver {

// By default, a member is required if JSON never omits it and it is neither a time nor a message by
// value. Returns true for fields, such as "k8s.io.api.core.v1.Event.metadata", where the opposite
// holds.
bool HasOddRequirement(std::string_view field);

// Returns "Always,IfNotPresent,Never"; empty: any value.
std::string_view ChoicesOf(std::string_view field);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_OPENAPI_FACTS_H_
