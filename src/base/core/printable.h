// base/core/printable.h
//
// What others wrote, on its way to a log or a terminal: a name or a server's message may hold codes
// that move the cursor, rename the window, type for the user, or turn the direction of what is read
// around. All that the library and its command write there goes through this. Pure functions.

#ifndef KINFORMER_BASE_CORE_PRINTABLE_H_
#define KINFORMER_BASE_CORE_PRINTABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinformer::internal::base {

// A character at the beginning of a text. A byte that is not UTF-8 is one of its own.
struct CodePoint {
  std::uint32_t code = 0;
  std::size_t size = 1;  // in bytes
  bool valid = true;
};
// REQUIRES: not empty.
CodePoint FirstCodePoint(std::string_view text);

// Whether a terminal obeys the character, or a reader of lines: C0, DEL and C1, the marks,
// embeddings, overrides and isolates of direction (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066
// to U+2069), the ends of lines and paragraphs (U+2028, U+2029), and U+FEFF, which nobody sees.
bool IsUnprintable(std::uint32_t code);

// The text in one line, with escapes for what is unprintable: \n, \r, \t, \x1b, \u202e; of bytes
// that are not UTF-8 \xff. Other characters, '\' too, stay.
void AppendPrintable(std::string_view text, std::string& out);
std::string Printable(std::string_view text);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_PRINTABLE_H_
