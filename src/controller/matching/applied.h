// controller/matching/applied.h
//
// Whether a configuration is applied already, so that applying it again changes nothing.

#ifndef KINFORMER_CONTROLLER_MATCHING_APPLIED_H_
#define KINFORMER_CONTROLLER_MATCHING_APPLIED_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"
#include "kinformer/object/kind_info.h"

namespace kinformer::internal::matching {

// The manager, and the part of the object that it applies.
struct AppliedBy {
  std::string_view manager;
  std::string_view subresource;  // empty: the object itself
};

// Returns true if all fields of `applied` are in `object` with equal values, and the manager's
// entry in its managedFields owns exactly these. No schema is needed: the steps of the entry say
// how the server reads the lists.
//
// Where the entry names a list or object that is not empty as one field, it is atomic, or it was
// applied as an empty one before, and then the same values would be owned one by one. `wholes` gets
// these places ("spec.args", "spec.containers[].command"): the result holds if they are atomic.
[[nodiscard]] bool IsApplied(const KindInfo& kind, const json::Value& object,
                             const json::Value& applied, const AppliedBy& by,
                             std::vector<std::string>& wholes);

}  // namespace kinformer::internal::matching

#endif  // KINFORMER_CONTROLLER_MATCHING_APPLIED_H_
