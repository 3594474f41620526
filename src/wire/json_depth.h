// wire/json_depth.h
//
// Depth of a JSON value. Code that builds values from parts of others must check it, since all
// readers of values are recursive.

#ifndef KINFORMER_WIRE_JSON_DEPTH_H_
#define KINFORMER_WIRE_JSON_DEPTH_H_

#include <cstddef>
#include <string_view>

#include "kinformer/json/json.h"

namespace kinformer::json {

// Default limit of json::Parse.
inline constexpr std::size_t kMaxDepth = 512;

// Returns the levels of arrays and objects; 0 for a scalar. Stops one level below kMaxDepth. Adds
// the number of visited values to `values`.
std::size_t DepthOf(const Value& value, std::size_t& values);

// Returns the number of levels around a value at that pointer.
std::size_t LevelsOf(std::string_view pointer);

}  // namespace kinformer::json

#endif  // KINFORMER_WIRE_JSON_DEPTH_H_
