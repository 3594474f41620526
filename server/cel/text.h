// cel/text.h
//
// Texts by code points, as the language counts them.

#ifndef KINFORMER_CEL_TEXT_H_
#define KINFORMER_CEL_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinformer::internal::cel {

struct Rune {
  std::uint32_t code = 0;
  std::size_t size = 1;  // in bytes
};

// Reads the code point at `offset`; U+FFFD of one byte where the text is no UTF-8. REQUIRES:
// offset < text.size().
Rune RuneAt(std::string_view text, std::size_t offset);
void AppendRune(std::uint32_t code, std::string& out);
// Returns the number of code points.
std::size_t RuneCount(std::string_view text);
// Returns where the code point of this number begins; npos if the text is shorter. The end of the
// text is a place, too.
std::size_t RuneOffset(std::string_view text, std::size_t rune);
bool IsUtf8(std::string_view text);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_TEXT_H_
