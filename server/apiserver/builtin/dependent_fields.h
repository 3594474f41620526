// apiserver/builtin/dependent_fields.h
//
// Fields of built-in kinds that are required because of other fields: ports unless a Service is
// headless, names where there are several, a restart policy that suits a Job. Fields that are
// always required are in field_checks.h.

#ifndef KINFORMER_APISERVER_BUILTIN_DEPENDENT_FIELDS_H_
#define KINFORMER_APISERVER_BUILTIN_DEPENDENT_FIELDS_H_

#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Inserts causes for missing fields of `object`, which has its defaults, into the problems found so
// far, in the order of a real server. Thread-safe.
void ValidateDependent(const ServedResource& resource, const json::Value& object,
                       std::vector<StatusCause>& causes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_DEPENDENT_FIELDS_H_
