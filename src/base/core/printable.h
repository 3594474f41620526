// base/core/printable.h
//
// Makes text of others safe for a log or a terminal: a name or a server's message may contain codes
// that move the cursor, rename the window, type for the user, or reverse the direction of text. The
// library and its command write all such text through this. Pure functions.

#ifndef KINFORMER_BASE_CORE_PRINTABLE_H_
#define KINFORMER_BASE_CORE_PRINTABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinformer::internal::base {

// A character at the start of a text. An invalid byte counts as a character of its own.
struct CodePoint {
  std::uint32_t code = 0;
  std::size_t size = 1;  // in bytes
  bool valid = true;
};
// REQUIRES: not empty.
CodePoint FirstCodePoint(std::string_view text);

// Whether a terminal or a reader of lines treats the character specially: C0, DEL and C1, the
// marks, embeddings, overrides and isolates of direction (U+061C, U+200E, U+200F, U+202A to U+202E,
// U+2066 to U+2069), line and paragraph separators (U+2028, U+2029), and the invisible U+FEFF.
bool IsUnprintable(std::uint32_t code);

// Appends the text in one line, with escapes for unprintable characters: \n, \r, \t, \x1b, \u202e;
// for bytes that are not UTF-8, \xff. Other characters, including '\', are unchanged.
void AppendPrintable(std::string_view text, std::string& out);
std::string Printable(std::string_view text);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_PRINTABLE_H_
