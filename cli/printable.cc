#include "cli/printable.h"

#include <array>
#include <cstddef>
#include <cstdio>

namespace kinformer::cli {
namespace {

unsigned char At(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// How many bytes the character at `i` has; 0: it is not UTF-8.
std::size_t SizeAt(std::string_view text, std::size_t i) {
  const unsigned char first = At(text, i);
  std::size_t size = 0;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) size = 2;
  if ((first & 0xf0U) == 0xe0) size = 3;
  if (first >= 0xf0 && first <= 0xf4) size = 4;
  for (std::size_t k = 1; k < size; ++k) {
    if ((At(text, i + k) & 0xc0U) != 0x80) return 0;
  }
  return size;
}

// DEL, or C1, of `size` bytes.
bool IsUpperControl(std::string_view text, std::size_t i, std::size_t size) {
  const unsigned char first = At(text, i);
  return (size == 1 && first == 0x7f) || (size == 2 && first == 0xc2 && At(text, i + 1) < 0xa0);
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t size = SizeAt(text, i);
    if (size == 0 || At(text, i) < 0x20 || IsUpperControl(text, i, size)) {
      out += ' ';
      i += size == 0 ? 1 : size;
    } else {
      out += text.substr(i, size);
      i += size;
    }
  }
  return out;
}

std::string PrintableJson(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size();) {
    const std::size_t size = SizeAt(json, i);
    if (size != 0 && IsUpperControl(json, i, size)) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", At(json, i + size - 1));
      out += escape.data();
    } else {
      out += json.substr(i, size == 0 ? 1 : size);
    }
    i += size == 0 ? 1 : size;
  }
  return out;
}

}  // namespace kinformer::cli
