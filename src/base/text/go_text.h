// base/text/go_text.h
//
// Texts in Go's notation, which templates of kubectl contain and print.

#ifndef KINFORMER_BASE_TEXT_GO_TEXT_H_
#define KINFORMER_BASE_TEXT_GO_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

namespace kinformer::internal::base {

// Formats a number with the fewest digits, with an exponent from a million on and below 0.0001, as
// fmt's %v of a float64, or of a float32.
std::string GoFloat(double number);
std::string GoFloat(float number);

// Returns the text that stands between a pair of `quote` (' or ") in Go's notation, with its
// escapes replaced: \n, \", \x41, \101, \u00e9. nullopt if an escape does not exist, or a line or
// the other end of the text stands in it.
std::optional<std::string> GoUnquoted(std::string_view inside, char quote);

// Returns the text in quotes, as fmt's %q.
std::string GoQuoted(std::string_view text);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_GO_TEXT_H_
