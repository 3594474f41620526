// apiserver/builtin/object_checks.h
//
// Checks of built-in kinds for fields that contradict each other, as a real server has them: a
// workload whose selector does not match its own pods, a budget with two limits, a key that is no
// valid file name, a status with more ready replicas than replicas. Checks of types, required
// fields and changes are elsewhere (defaults.h, field_checks.h, field_rules.h).

#ifndef KINFORMER_APISERVER_BUILTIN_OBJECT_CHECKS_H_
#define KINFORMER_APISERVER_BUILTIN_OBJECT_CHECKS_H_

#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Returns the problems of an object sent to create or to replace one; empty if these checks find
// none.
std::vector<StatusCause> ValidateObject(const ServedResource& resource, const json::Value& object);

// Returns the problems of an object sent to the subresource `status`.
std::vector<StatusCause> ValidateStatus(const ServedResource& resource, const json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_OBJECT_CHECKS_H_
