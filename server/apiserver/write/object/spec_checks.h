// apiserver/write/object/spec_checks.h
//
// CheckSpec: validation of an object sent by a client, except for its metadata.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_SPEC_CHECKS_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_SPEC_CHECKS_H_

#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/errors/status.h"
#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

// `old`: null for a new object. `validation`: as of ApiServerOptions. Fields that `old` lacks, as
// this process created it, or whose values are faulty there, may stay as they are in updates.
[[nodiscard]] std::vector<StatusCause> CheckSpec(const ResourceAt& at, const json::Value& object,
                                                 const json::Value* old, bool validation);

// Removes causes that are there already: what is wrong with the amounts of a resize is found by the
// checks of the pod, too.
void DropRepeated(std::vector<StatusCause>& causes);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_SPEC_CHECKS_H_
