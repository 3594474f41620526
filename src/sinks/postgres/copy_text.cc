#include "sinks/postgres/copy_text.h"

#include <cstddef>

namespace kinformer::internal::sinks {

void AppendCopyField(std::string& out, std::string_view field) {
  while (!field.empty()) {
    const std::size_t plain = field.find_first_of("\\\t\n\r");
    out += field.substr(0, plain);
    if (plain == std::string_view::npos) return;
    const char c = field[plain];
    out += '\\';
    out += c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c;
    field.remove_prefix(plain + 1);
  }
}

void ReplaceEscapedNul(std::string& json) {
  constexpr std::string_view kNul = "\\u0000";
  for (std::size_t at = json.find('\\'); at != std::string::npos; at = json.find('\\', at)) {
    if (json.compare(at, kNul.size(), kNul) == 0) json.replace(at + 2, 4, "fffd");
    at += 2;  // also behind an escaped backslash
  }
}

}  // namespace kinformer::internal::sinks
