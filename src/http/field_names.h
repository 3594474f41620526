// http/field_names.h
//
// Names of header fields.

#ifndef KINFORMER_HTTP_FIELD_NAMES_H_
#define KINFORMER_HTTP_FIELD_NAMES_H_

#include <algorithm>
#include <string_view>

namespace kinformer::internal::http {

inline char LowerCase(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Compares without regard to case.
inline bool SameFieldName(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return LowerCase(x) == LowerCase(y);
         });
}

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_FIELD_NAMES_H_
