// base/edit_distance.h
//
// EditDistance: how far a word is from the one that was probably meant.

#ifndef KINFORMER_BASE_EDIT_DISTANCE_H_
#define KINFORMER_BASE_EDIT_DISTANCE_H_

#include <cstddef>
#include <string_view>

namespace kinformer::internal::base {

// Returns the number of characters to insert, delete or replace to change `a` to `b`.
std::size_t EditDistance(std::string_view a, std::string_view b);

// Near enough to be meant: at most two changes, and fewer than half of the word.
bool IsNear(std::string_view meant, std::string_view typed);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_EDIT_DISTANCE_H_
