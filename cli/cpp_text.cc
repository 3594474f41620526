#include "cli/cpp_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <string>

namespace kinformer::cli {
namespace {

constexpr std::size_t kColumns = 100;

// Words that cannot name a member: those of the language, macros of headers of the system, and
// namespaces that the text uses.
constexpr auto kTaken = std::to_array<std::string_view>({"alignas",
                                                         "alignof",
                                                         "and",
                                                         "and_eq",
                                                         "asm",
                                                         "assert",
                                                         "auto",
                                                         "bitand",
                                                         "bitor",
                                                         "bool",
                                                         "break",
                                                         "case",
                                                         "catch",
                                                         "char",
                                                         "char16_t",
                                                         "char32_t",
                                                         "char8_t",
                                                         "class",
                                                         "co_await",
                                                         "co_return",
                                                         "co_yield",
                                                         "compl",
                                                         "concept",
                                                         "const",
                                                         "const_cast",
                                                         "consteval",
                                                         "constexpr",
                                                         "constinit",
                                                         "continue",
                                                         "decltype",
                                                         "default",
                                                         "delete",
                                                         "do",
                                                         "double",
                                                         "dynamic_cast",
                                                         "else",
                                                         "emit",
                                                         "enum",
                                                         "errno",
                                                         "explicit",
                                                         "export",
                                                         "extern",
                                                         "false",
                                                         "float",
                                                         "for",
                                                         "friend",
                                                         "goto",
                                                         "if",
                                                         "inline",
                                                         "int",
                                                         "kFields",
                                                         "kKind",
                                                         "kSchema",
                                                         "kinformer",
                                                         "linux",
                                                         "long",
                                                         "major",
                                                         "makedev",
                                                         "minor",
                                                         "mutable",
                                                         "namespace",
                                                         "new",
                                                         "noexcept",
                                                         "not",
                                                         "not_eq",
                                                         "nullptr",
                                                         "operator",
                                                         "or",
                                                         "or_eq",
                                                         "private",
                                                         "protected",
                                                         "public",
                                                         "register",
                                                         "reinterpret_cast",
                                                         "requires",
                                                         "return",
                                                         "short",
                                                         "signals",
                                                         "signed",
                                                         "sizeof",
                                                         "slots",
                                                         "static",
                                                         "static_assert",
                                                         "static_cast",
                                                         "std",
                                                         "struct",
                                                         "switch",
                                                         "template",
                                                         "this",
                                                         "thread_local",
                                                         "throw",
                                                         "true",
                                                         "try",
                                                         "typedef",
                                                         "typeid",
                                                         "typename",
                                                         "union",
                                                         "unix",
                                                         "unknown",
                                                         "unsigned",
                                                         "using",
                                                         "virtual",
                                                         "void",
                                                         "volatile",
                                                         "wchar_t",
                                                         "while",
                                                         "xor",
                                                         "xor_eq"});

bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string CppName(std::string_view name) {
  std::string out;
  for (const char c : name) out += IsLetter(c) || IsDigit(c) ? c : '_';
  if (out.empty() || IsDigit(out.front())) out.insert(0, 1, '_');
  const bool taken = std::find(kTaken.begin(), kTaken.end(), out) != kTaken.end();
  return taken ? out + "_" : out;
}

std::string CppTypeName(std::string_view name) {
  std::string out;
  bool upper = true;
  for (const char c : name) {
    if (!IsLetter(c) && !IsDigit(c)) {
      upper = true;
      continue;
    }
    out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  if (out.empty() || IsDigit(out.front())) out.insert(0, 1, 'X');
  return out;
}

std::string NewName(const std::string& name, std::set<std::string>& used) {
  std::string out = name;
  for (int i = 2; !used.insert(out).second; ++i) out = name + std::to_string(i);
  return out;
}

std::string CppLiteral(std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  });
  const bool quotes = text.find_first_of("\\\"") != std::string_view::npos;
  if (plain && quotes) {
    std::string mark;
    while (text.find(")" + mark + "\"") != std::string_view::npos) mark += 'x';
    return "R\"" + mark + "(" + std::string(text) + ")" + mark + "\"";
  }
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\' || c == '"') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      std::array<char, 8> octal{};
      std::snprintf(octal.data(), octal.size(), "\\%03o", static_cast<unsigned>(c));
      out += octal.data();
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string CppComment(std::string_view text, std::string_view indent) {
  std::string out;
  const std::string start = std::string(indent) + "//";
  while (!text.empty()) {
    std::string_view paragraph = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(paragraph.size() + 1, text.size()));
    std::string line = start;
    while (!paragraph.empty()) {
      const std::string_view word = paragraph.substr(0, paragraph.find(' '));
      paragraph.remove_prefix(std::min(word.size() + 1, paragraph.size()));
      if (word.empty()) continue;
      if (line.size() + 1 + word.size() > kColumns && line != start) {
        out += line + '\n';
        line = start;
      }
      line += ' ';
      for (const char c : word) line += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    // A backslash at the end would draw the next line into the comment.
    if (line.ends_with('\\')) line += '.';
    if (line != start || !text.empty()) out += line + '\n';
  }
  return out;
}

}  // namespace kinformer::cli
