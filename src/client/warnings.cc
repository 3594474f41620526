#include "client/warnings.h"

#include <optional>

namespace kinformer::internal::client {
namespace {

void SkipSpaces(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

// REQUIRES: text starts with a quote. Returns nullopt if the string does not end.
std::optional<std::string> TakeQuoted(std::string_view& text) {
  std::string out;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return out;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    // Removes control characters, as the warning becomes a log line.
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) out += c;
  }
  return std::nullopt;
}

std::optional<Warning> TakeWarning(std::string_view& text) {
  SkipSpaces(text);
  Warning warning;
  if (text.size() < 4 || text[3] != ' ') return std::nullopt;
  for (std::size_t i = 0; i < 3; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    warning.code = warning.code * 10 + (text[i] - '0');
  }
  text.remove_prefix(4);
  SkipSpaces(text);
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos || space == 0) return std::nullopt;
  warning.agent = text.substr(0, space);
  text.remove_prefix(space);
  SkipSpaces(text);
  if (text.empty() || text.front() != '"') return std::nullopt;
  std::optional<std::string> message = TakeQuoted(text);
  if (!message) return std::nullopt;
  warning.text = std::move(*message);
  SkipSpaces(text);
  if (!text.empty() && text.front() == '"') {  // the optional date
    if (!TakeQuoted(text)) return std::nullopt;
    SkipSpaces(text);
  }
  if (!text.empty() && text.front() != ',') return std::nullopt;
  if (!text.empty()) text.remove_prefix(1);
  return warning;
}

}  // namespace

std::vector<Warning> ParseWarningHeader(std::string_view value) {
  std::vector<Warning> warnings;
  while (!value.empty()) {
    std::optional<Warning> warning = TakeWarning(value);
    if (!warning) break;
    warnings.push_back(std::move(*warning));
  }
  return warnings;
}

}  // namespace kinformer::internal::client
