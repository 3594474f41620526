// apiserver/builtin/contradictions.h
//
// Checks workloads, Services, Ingresses and other built-in kinds for fields that contradict each
// other: an update that may change no pod, two ports of one number, a budget above 100 %. Pods'
// specs are checked in pod_checks.h, single fields in field_checks.h.

#ifndef KINFORMER_APISERVER_BUILTIN_CONTRADICTIONS_H_
#define KINFORMER_APISERVER_BUILTIN_CONTRADICTIONS_H_

#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Appends a cause for each contradiction in an object of this resource. Thread-safe.
void ValidateContradictions(const ServedResource& resource, const json::Value& object,
                            std::vector<StatusCause>& causes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_CONTRADICTIONS_H_
