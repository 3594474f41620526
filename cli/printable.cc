#include "cli/printable.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>

namespace kinformer::cli {

namespace base = internal::base;

std::string PrintableLines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    base::AppendPrintable(text.substr(0, end), out);
    if (end < text.size()) out += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string PrintableJson(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    const base::CodePoint point = base::FirstCodePoint(json);
    if (!point.valid) {
      out += "\\ufffd";
    } else if (point.code != '\n' && base::IsUnprintable(point.code)) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(point.code));
      out += escape.data();
    } else {
      out.append(json, 0, point.size);
    }
    json.remove_prefix(point.size);
  }
  return out;
}

}  // namespace kinformer::cli
