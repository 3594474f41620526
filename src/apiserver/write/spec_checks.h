// apiserver/write/spec_checks.h
//
// CheckSpec: what is wrong with an object that a client has sent, but for its metadata.

#ifndef KINFORMER_APISERVER_WRITE_SPEC_CHECKS_H_
#define KINFORMER_APISERVER_WRITE_SPEC_CHECKS_H_

#include <vector>

#include "kinformer/json.h"

#include "apiserver/errors/status.h"
#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

// `old`: null where the object is new. `required_fields`: of ApiServerOptions; whoever changes an
// object that lacks what is required, because this process has made it, need not complete it.
[[nodiscard]] std::vector<StatusCause> CheckSpec(const ResourceAt& at, const json::Value& object,
                                                 const json::Value* old, bool required_fields);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_SPEC_CHECKS_H_
