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

// `old`: null for a new object. `required_fields`: as of ApiServerOptions; updates of an object
// that lacks required fields, as this process created it, need not add them.
[[nodiscard]] std::vector<StatusCause> CheckSpec(const ResourceAt& at, const json::Value& object,
                                                 const json::Value* old, bool required_fields);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_SPEC_CHECKS_H_
