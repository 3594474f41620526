#include "base/core/printable.h"

namespace kinformer::internal::base {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

void AppendHex(std::uint32_t value, int digits, std::string& out) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
    out += kHex[(value >> static_cast<unsigned>(shift)) & 0xfU];
  }
}

void AppendEscape(const CodePoint& point, std::string& out) {
  if (point.valid && point.code == '\n') {
    out += "\\n";
  } else if (point.valid && point.code == '\r') {
    out += "\\r";
  } else if (point.valid && point.code == '\t') {
    out += "\\t";
  } else if (point.code < 0x80 || !point.valid) {
    out += "\\x";
    AppendHex(point.code, 2, out);
  } else {
    out += "\\u";
    AppendHex(point.code, 4, out);
  }
}

}  // namespace

CodePoint FirstCodePoint(std::string_view text) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const CodePoint bad{.code = byte(0), .size = 1, .valid = false};
  if (byte(0) < 0x80) return {.code = byte(0)};
  if (byte(0) < 0xc2 || byte(0) > 0xf4) return bad;
  const std::size_t size = byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  std::uint32_t code = byte(0) & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return bad;
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  const bool too_long = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool no_character = (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff;
  if (too_long || no_character) return bad;
  return {.code = code, .size = size};
}

bool IsUnprintable(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  if (code == 0x061c || code == 0x200e || code == 0x200f || code == 0xfeff) return true;
  return (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

void AppendPrintable(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const CodePoint point = FirstCodePoint(text);
    if (!point.valid || IsUnprintable(point.code)) {
      AppendEscape(point, out);
    } else {
      out.append(text, 0, point.size);
    }
    text.remove_prefix(point.size);
  }
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  AppendPrintable(text, out);
  return out;
}

}  // namespace kinformer::internal::base
