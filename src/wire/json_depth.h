// wire/json_depth.h
//
// How deep a JSON value is: who makes one of others' parts has to look, since everything that reads
// values goes down into them.

#ifndef KINFORMER_WIRE_JSON_DEPTH_H_
#define KINFORMER_WIRE_JSON_DEPTH_H_

#include <cstddef>
#include <string_view>

#include "kinformer/json.h"

namespace kinformer::json {

// As deep as json::Parse lets a text be by default.
inline constexpr std::size_t kMaxDepth = 512;

// Levels of arrays and objects; a scalar has none. Looks no deeper than one below kMaxDepth.
// `values`: how many values it has looked at are added to it.
std::size_t DepthOf(const Value& value, std::size_t& values);

// How many levels a value at that place has around it.
std::size_t LevelsOf(std::string_view pointer);

}  // namespace kinformer::json

#endif  // KINFORMER_WIRE_JSON_DEPTH_H_
