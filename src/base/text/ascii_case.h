// base/text/ascii_case.h
//
// Letters of ASCII without regard to case. Other bytes are compared as they are.

#ifndef KINFORMER_BASE_TEXT_ASCII_CASE_H_
#define KINFORMER_BASE_TEXT_ASCII_CASE_H_

#include <algorithm>
#include <string_view>

namespace kinformer::internal::base {

inline char LowerCase(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline bool SameIgnoringCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return LowerCase(x) == LowerCase(y);
         });
}

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_ASCII_CASE_H_
