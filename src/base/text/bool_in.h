// base/text/bool_in.h
//
// BoolIn: parses a truth value.

#ifndef KINFORMER_BASE_TEXT_BOOL_IN_H_
#define KINFORMER_BASE_TEXT_BOOL_IN_H_

#include <optional>
#include <string_view>

namespace kinformer::internal::base {

// Accepts the spellings of Go's strconv.ParseBool. nullopt for any other text.
inline std::optional<bool> BoolIn(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_BOOL_IN_H_
