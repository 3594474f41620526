#include "kinformer/internal/log_text.h"

#include <cstddef>

#include "base/core/printable.h"

namespace kinformer::internal {
namespace {

// Quotes a text so that a log line stays one line, whatever a server's names contain.
void AppendQuoted(std::string_view text, std::string& out) {
  out.push_back('"');
  while (true) {
    const std::size_t special = text.find_first_of("\"\\");
    base::AppendPrintable(text.substr(0, special), out);
    if (special == std::string_view::npos) break;
    out.push_back('\\');
    out.push_back(text[special]);
    text.remove_prefix(special + 1);
  }
  out.push_back('"');
}

bool NeedsQuotes(std::string_view text) {
  return text.empty() || text.find_first_of(" \"\\=") != std::string_view::npos ||
         base::Printable(text) != text;
}

}  // namespace

void AppendLogText(std::string_view message, std::initializer_list<LogField> fields,
                   std::string& line) {
  base::AppendPrintable(message, line);
  bool first = true;
  for (const LogField& field : fields) {
    line.append(first ? "  " : " ");
    base::AppendPrintable(field.key, line);
    line.push_back('=');
    first = false;
    if (NeedsQuotes(field.value)) {
      AppendQuoted(field.value, line);
    } else {
      line.append(field.value);
    }
  }
}

std::string LogText(std::string_view message, std::initializer_list<LogField> fields) {
  std::string line;
  AppendLogText(message, fields, line);
  return line;
}

}  // namespace kinformer::internal
