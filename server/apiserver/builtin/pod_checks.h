// apiserver/builtin/pod_checks.h
//
// Checks the spec of a pod, or of a template of pods, for fields that contradict each other: a
// mount of a volume that is not there, two kinds of one probe, requests above limits. Checks of
// single fields are in field_checks.h.

#ifndef KINFORMER_APISERVER_BUILTIN_POD_CHECKS_H_
#define KINFORMER_APISERVER_BUILTIN_POD_CHECKS_H_

#include <string>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Appends a cause for each contradiction in the pods' spec that an object of this resource has, if
// it has one: pods, templates, workloads, jobs. Thread-safe.
void ValidatePodSpec(const ServedResource& resource, const json::Value& object,
                     std::vector<StatusCause>& causes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_POD_CHECKS_H_
