// GoPrintf of go_template_functions.h.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "kinformer/json/jsonpath.h"

#include "base/core/printable.h"
#include "base/text/go_text.h"
#include "cli/go_template_functions.h"
#include "cli/go_value.h"
#include "cli/table.h"

namespace kinformer::cli {
namespace {

constexpr std::size_t kMostWidth = 1000;

// A verb with its flags: "%-5.2f".
struct Verb {
  char letter = 0;
  bool left = false;
  bool plus = false;
  bool zero = false;
  std::size_t width = 0;
  int precision = -1;
};

std::size_t TakeDigits(std::string_view& text) {
  std::size_t number = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    number = std::min(number * 10 + static_cast<std::size_t>(text.front() - '0'), kMostWidth);
    text.remove_prefix(1);
  }
  return number;
}

// Reads a verb behind "%".
Verb TakeVerb(std::string_view& format) {
  Verb verb;
  while (!format.empty() && std::string_view("-+0 #").find(format.front()) != std::string::npos) {
    verb.left = verb.left || format.front() == '-';
    verb.plus = verb.plus || format.front() == '+';
    verb.zero = verb.zero || format.front() == '0';
    format.remove_prefix(1);
  }
  verb.width = TakeDigits(format);
  if (!format.empty() && format.front() == '.') {
    format.remove_prefix(1);
    verb.precision = static_cast<int>(TakeDigits(format));
  }
  if (!format.empty()) {
    verb.letter = format.front();
    format.remove_prefix(1);
  }
  return verb;
}

std::string GoType(const json::Value& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_bool()) return "bool";
  if (value.is_string()) return "string";
  if (value.is_array()) return "[]interface {}";
  if (value.is_object()) return "map[string]interface {}";
  return value.NumberText().find_first_of(".eE") == std::string::npos ? "int64" : "float64";
}

std::string Hexadecimal(const json::Value& value, bool upper) {
  std::array<char, 32> text{};
  const char* const form = upper ? "%02X" : "%02x";
  if (value.is_string()) {
    std::string all;
    for (const char c : value.StringOrEmpty()) {
      std::snprintf(text.data(), text.size(), form,
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      all += text.data();
    }
    return all;
  }
  const std::int64_t number = value.AsInt64().value_or(0);
  std::snprintf(text.data(), text.size(), upper ? "%llX" : "%llx",
                static_cast<unsigned long long>(number < 0 ? -number : number));
  return (number < 0 ? "-" : "") + std::string(text.data());
}

std::string Float(double number, const Verb& verb) {
  const bool general = verb.letter == 'g' || verb.letter == 'G';
  if (general && verb.precision < 0) return internal::base::GoFloat(number);
  const char form[] = {'%', '.', '*', verb.letter, '\0'};
  std::array<char, 1500> text{};
  // NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): a verb out of the four below
  std::snprintf(text.data(), text.size(), form, verb.precision < 0 ? 6 : verb.precision, number);
  return text.data();
}

// Returns the text of a value; the way in which Go shows that the verb does not fit it.
std::string Formatted(const Verb& verb, const json::Value& value) {
  std::string wrong = "%!" + std::string(1, verb.letter) + "(" + GoType(value) +
                      (value.is_null() ? "" : "=" + GoText(value)) + ")";
  switch (verb.letter) {
    case 'v':
      return GoText(value);
    case 's':
    case 'q': {
      if (value.is_bool() || value.is_number() || value.is_null()) return wrong;
      std::string text = GoText(value);
      if (verb.precision >= 0) {
        std::size_t at = 0;
        for (int i = 0; i < verb.precision && at < text.size(); ++i) {
          at += internal::base::FirstCodePoint(std::string_view(text).substr(at)).size;
        }
        text.resize(at);
      }
      return verb.letter == 'q' ? internal::base::GoQuoted(text) : text;
    }
    case 'd':
      if (!value.is_number()) return wrong;
      return value.AsInt64() ? std::to_string(*value.AsInt64()) : json::EvalToText(value);
    case 't':
      return value.is_bool() ? GoText(value) : wrong;
    case 'x':
    case 'X':
      return value.is_string() || value.AsInt64() ? Hexadecimal(value, verb.letter == 'X') : wrong;
    case 'e':
    case 'f':
    case 'F':
    case 'g':
      return value.is_number() ? Float(value.AsDouble().value_or(0), verb) : wrong;
    case 'T':
      return GoType(value);
    default:
      return wrong;
  }
}

std::string Padded(const Verb& verb, std::string text, const json::Value& value) {
  const bool number = value.is_number() &&
                      std::string_view("deEfFgGxX").find(verb.letter) != std::string_view::npos;
  if (number && verb.plus && !text.starts_with('-')) text.insert(0, "+");
  const std::size_t width = DisplayWidth(text);
  if (width >= verb.width) return text;
  const std::size_t missing = verb.width - width;
  if (verb.left) return text + std::string(missing, ' ');
  if (!verb.zero || !number) return std::string(missing, ' ') + text;
  return text.insert(text.starts_with('-') || text.starts_with('+') ? 1 : 0, missing, '0');
}

}  // namespace

std::string GoPrintf(std::string_view format, const std::vector<TemplateValue>& arguments) {
  std::string out;
  std::size_t next = 0;
  while (!format.empty()) {
    const std::size_t percent = std::min(format.find('%'), format.size());
    out += format.substr(0, percent);
    format.remove_prefix(percent);
    if (format.empty()) break;
    format.remove_prefix(1);
    const Verb verb = TakeVerb(format);
    if (verb.letter == '%') {
      out += '%';
    } else if (verb.letter == 0) {
      out += "%!(NOVERB)";
    } else if (next == arguments.size()) {
      out += "%!" + std::string(1, verb.letter) + "(MISSING)";
    } else {
      const json::Value& value = ValueOf(arguments[next++]);
      out += Padded(verb, Formatted(verb, value), value);
    }
  }
  if (next == arguments.size()) return out;
  std::string surplus;
  for (; next < arguments.size(); ++next) {
    const json::Value& value = ValueOf(arguments[next]);
    surplus += (surplus.empty() ? "" : ", ") + GoType(value) + "=" + GoText(value);
  }
  return out + "%!(EXTRA " + surplus + ")";
}

}  // namespace kinformer::cli
