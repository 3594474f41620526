// apiserver/builtin/dependent_fields.h
//
// What must be there in objects of built-in kinds because of what else is there: ports unless a
// Service is headless, names where there are several, a restart policy that fits a Job. What is
// needed in any case is in required_fields.h.

#ifndef KINFORMER_APISERVER_BUILTIN_DEPENDENT_FIELDS_H_
#define KINFORMER_APISERVER_BUILTIN_DEPENDENT_FIELDS_H_

#include <vector>

#include "kinformer/error.h"
#include "kinformer/json.h"

#include "apiserver/registry/served_resource.h"

namespace kinformer::apiserver {

// Adds what is missing in `object`, which has its defaults, to what is known to be wrong with it:
// in the place in which a real server lists it. On any thread.
void ValidateDependent(const ServedResource& resource, const json::Value& object,
                       std::vector<StatusCause>& causes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_DEPENDENT_FIELDS_H_
