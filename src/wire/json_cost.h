// wire/json_cost.h
//
// Memory that JSON values take, for limits on values made from untrusted input.

#ifndef KINFORMER_WIRE_JSON_COST_H_
#define KINFORMER_WIRE_JSON_COST_H_

#include <cstddef>

#include "kinformer/json/json.h"

namespace kinformer::json {

// Returns the approximate size of the value as a member of an object, with all nested values.
// Recursive, so only for values that were parsed or whose depth is limited (json_depth.h).
[[nodiscard]] std::size_t CostOf(const Value& value);

}  // namespace kinformer::json

#endif  // KINFORMER_WIRE_JSON_COST_H_
