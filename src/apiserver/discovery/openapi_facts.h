// apiserver/discovery/openapi_facts.h
//
// What the API's schemas say about built-in types that the descriptors do not: which members must
// be there, and which texts a member may be. Facts, learnt from a real server by
// codegen/openapi_facts.py. Constant.

#ifndef KINFORMER_APISERVER_DISCOVERY_OPENAPI_FACTS_H_
#define KINFORMER_APISERVER_DISCOVERY_OPENAPI_FACTS_H_

#include <string_view>

namespace kinformer::apiserver {

// As a rule a member is required when JSON never leaves it out and it is neither a time nor a
// message by value. True for a field, "k8s.io.api.core.v1.Event.metadata", of which the opposite
// holds.
bool HasOddRequirement(std::string_view field);

// "Always,IfNotPresent,Never"; empty: anything.
std::string_view ChoicesOf(std::string_view field);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_OPENAPI_FACTS_H_
