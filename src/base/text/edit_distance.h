// base/text/edit_distance.h
//
// EditDistance: how far a word is from the one that was probably meant.

#ifndef KINFORMER_BASE_TEXT_EDIT_DISTANCE_H_
#define KINFORMER_BASE_TEXT_EDIT_DISTANCE_H_

#include <cstddef>
#include <string_view>

namespace kinformer::internal::base {

// How many characters are to be added, left out or changed to make `b` of `a`.
std::size_t EditDistance(std::string_view a, std::string_view b);

// Near enough to be meant: at most two changes, and fewer than half of the word.
bool IsNear(std::string_view meant, std::string_view typed);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_EDIT_DISTANCE_H_
