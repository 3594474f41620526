#include "wire/json_depth.h"

#include <algorithm>

namespace kinformer::json {
namespace {

std::size_t DepthBelow(const Value& value, std::size_t around, std::size_t& values) {
  ++values;
  if (!value.is_array() && !value.is_object()) return 0;
  std::size_t deepest = 0;
  if (around <= kMaxDepth) {
    for (const Value& item : value.items()) {
      deepest = std::max(deepest, DepthBelow(item, around + 1, values));
    }
    for (const auto& [name, member] : value.members()) {
      deepest = std::max(deepest, DepthBelow(member, around + 1, values));
    }
  }
  return deepest + 1;
}

}  // namespace

std::size_t DepthOf(const Value& value, std::size_t& values) {
  return DepthBelow(value, 0, values);
}

std::size_t LevelsOf(std::string_view pointer) {
  return static_cast<std::size_t>(std::count(pointer.begin(), pointer.end(), '/'));
}

}  // namespace kinformer::json
