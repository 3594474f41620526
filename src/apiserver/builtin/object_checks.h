// apiserver/builtin/object_checks.h
//
// What a real server refuses in an object of a built-in kind where fields contradict each other:
// a workload whose selector does not find its own pods, a budget with two limits, a key that no
// file can have as its name, a status with more ready replicas than replicas. Types, what is
// missing and changes are checked elsewhere (defaults.h, required_fields.h, field_rules.h).

#ifndef KINFORMER_APISERVER_BUILTIN_OBJECT_CHECKS_H_
#define KINFORMER_APISERVER_BUILTIN_OBJECT_CHECKS_H_

#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// What is wrong with an object that was sent to create it or to take another's place; empty:
// nothing that is looked for.
std::vector<StatusCause> ValidateObject(const ServedResource& resource, const json::Value& object);

// What is wrong with a status that was sent to the subresource of that name.
std::vector<StatusCause> ValidateStatus(const ServedResource& resource, const json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_OBJECT_CHECKS_H_
