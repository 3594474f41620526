// base/text/edit_distance.h
//
// EditDistance: difference between a word and the one that was probably meant.

#ifndef KINFORMER_BASE_TEXT_EDIT_DISTANCE_H_
#define KINFORMER_BASE_TEXT_EDIT_DISTANCE_H_

#include <cstddef>
#include <string_view>

namespace kinformer::internal::base {

// Returns the number of characters to insert, delete or replace to change `a` to `b`.
std::size_t EditDistance(std::string_view a, std::string_view b);

// Whether the word was probably meant: at most two changes, and fewer than half of its letters.
bool IsNear(std::string_view meant, std::string_view typed);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_EDIT_DISTANCE_H_
