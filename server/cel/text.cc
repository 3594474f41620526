#include "cel/text.h"

namespace kinformer::internal::cel {

Rune RuneAt(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
  const std::uint32_t first = byte(offset);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xf0 && first < 0xf5   ? 4
                           : first >= 0xe0 && first < 0xf0 ? 3
                           : first >= 0xc2 && first < 0xe0 ? 2
                                                           : 0;
  constexpr Rune kInvalid = {0xfffd, 1};
  if (size == 0 || offset + size > text.size()) return kInvalid;
  std::uint32_t code = first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(offset + i) & 0xc0U) != 0x80) return kInvalid;
    code = code << 6 | (byte(offset + i) & 0x3fU);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  if (overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return kInvalid;
  return {code, size};
}

void AppendRune(std::uint32_t code, std::string& out) {
  const auto tail = [&](std::uint32_t shift) {
    out += static_cast<char>(0x80 | (code >> shift & 0x3f));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

std::size_t RuneCount(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += RuneAt(text, at).size) ++count;
  return count;
}

std::size_t RuneOffset(std::string_view text, std::size_t rune) {
  std::size_t at = 0;
  for (; rune > 0; --rune) {
    if (at >= text.size()) return std::string_view::npos;
    at += RuneAt(text, at).size;
  }
  return at;
}

bool IsUtf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Rune rune = RuneAt(text, at);
    if (rune.size == 1 && rune.code == 0xfffd) return false;
    at += rune.size;
  }
  return true;
}

}  // namespace kinformer::internal::cel
