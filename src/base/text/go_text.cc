#include "base/text/go_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/core/printable.h"

namespace kinformer::internal::base {
namespace {

constexpr std::string_view kEscapes = "abfnrtv\\";
constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\";

void AppendCodePoint(std::uint32_t code, std::string& out) {
  const auto add = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    add(0xe0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3f));
  } else {
    add(0xf0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3f));
    add(0x80 | (code >> 6 & 0x3f));
  }
  add(0x80 | (code & 0x3f));
}

// Takes an escape with a number, "x41" or "101"; false if it is malformed.
bool TakeNumber(std::string_view& text, std::string& out) {
  const char kind = text.front();
  const bool octal = kind >= '0' && kind <= '7';
  if (!octal && kind != 'x' && kind != 'u' && kind != 'U') return false;
  if (!octal) text.remove_prefix(1);
  const std::size_t digits = octal ? 3 : kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
  if (text.size() < digits) return false;
  std::uint32_t code = 0;
  const char* const end = text.data() + digits;
  const auto [at, error] = std::from_chars(text.data(), end, code, octal ? 8 : 16);
  if (error != std::errc() || at != end) return false;
  text.remove_prefix(digits);
  if (octal || kind == 'x') {
    if (code > 0xff) return false;
    out += static_cast<char>(code);
    return true;
  }
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
  AppendCodePoint(code, out);
  return true;
}

template <class Number>
std::string ShortestText(Number number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
  std::array<char, 64> text{};
  const auto in_form = [&](std::chars_format form) {
    return std::string(text.data(),
                       std::to_chars(text.data(), text.data() + text.size(), number, form).ptr);
  };
  const std::string scientific = in_form(std::chars_format::scientific);
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  return exponent < -4 || exponent >= 6 ? scientific : in_form(std::chars_format::fixed);
}

}  // namespace

std::string GoFloat(double number) { return ShortestText(number); }
std::string GoFloat(float number) { return ShortestText(number); }

std::optional<std::string> GoUnquoted(std::string_view inside, char quote) {
  std::string out;
  while (!inside.empty()) {
    const char c = inside.front();
    inside.remove_prefix(1);
    if (c == quote || c == '\n') return std::nullopt;
    if (c != '\\') {
      out += c;
      continue;
    }
    if (inside.empty()) return std::nullopt;
    const char escape = inside.front();
    if (const std::size_t at = kEscapes.find(escape); at != std::string_view::npos) {
      out += kEscaped[at];
      inside.remove_prefix(1);
    } else if (escape == quote) {
      out += quote;
      inside.remove_prefix(1);
    } else if (!TakeNumber(inside, out)) {
      return std::nullopt;
    }
  }
  return out;
}

std::string GoQuoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const CodePoint point = FirstCodePoint(text);
    const char c = text.front();
    const std::size_t at = kEscaped.find(c);
    std::array<char, 16> escape{};
    if (at != std::string_view::npos) {
      out += '\\';
      out += kEscapes[at];
    } else if (c == '"') {
      out += "\\\"";
    } else if (!point.valid || point.code < 0x20 || point.code == 0x7f) {
      std::snprintf(escape.data(), escape.size(), "\\x%02x",
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += escape.data();
    } else if (IsUnprintable(point.code)) {
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(point.code));
      out += escape.data();
    } else {
      out.append(text, 0, point.size);
    }
    text.remove_prefix(point.size);
  }
  return out + "\"";
}

}  // namespace kinformer::internal::base
