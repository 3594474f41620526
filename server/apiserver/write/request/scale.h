// apiserver/write/request/scale.h
//
// Scale subresource: an autoscaling/v1 Scale that is read from and written to an object: in custom
// resources at the paths of the definition, in others at spec.replicas, status.replicas and
// spec.selector.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_SCALE_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_SCALE_H_

#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/ownership/field_manager.h"
#include "apiserver/registry/resource_table.h"

namespace kinformer::apiserver {

// Returns the Scale of an object; `at` has that subresource. If a custom object has no replicas,
// they are 0 with `for_change`, and an error otherwise.
Result<json::Value> ScaleOf(const ResourceAt& at, const json::Value& object,
                            bool for_change = false);

// Checks that it is a Scale for the object of that name.
Result<void> CheckScale(const ResourceAt& at, std::string_view name, const json::Value& scale);
// Checks that a patch has left a whole number of replicas. `exact`: 1.0 and 1e3 are refused, too:
// Go decodes the JSON that a JSON patch or a merge patch makes, and converts what others make.
Result<void> CheckPatchedReplicas(const json::Value& scale, bool exact);
// Checks that its replicas are valid.
Result<void> CheckReplicas(const ResourceAt& at, std::string_view name, const json::Value& scale);

// Writes replicas, resourceVersion and uid of a Scale to the object; the latter two are
// preconditions.
Result<void> ApplyScale(const ResourceAt& at, const json::Value& scale, json::Value& object);

// A Scale of `manager` has been written to `object`, which was `live`: sets who owns the replicas.
// An apply conflicts with other owners of another number, unless `force` is set.
Result<void> OwnScale(const ResourceAt& at, const FieldManager& manager, const json::Value& live,
                      bool force, json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_SCALE_H_
