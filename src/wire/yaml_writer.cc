// Writes YAML byte for byte as sigs.k8s.io/yaml does: the quotes, the blocks, folding after 80
// columns, and the order of keys.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "base/core/printable.h"
#include "wire/json_text.h"
#include "wire/yaml_scalar.h"

namespace kinformer::yaml {
namespace {

using json::Value;

constexpr std::size_t kLineWidth = 80;
// A longer key is written behind a '?'.
constexpr std::size_t kMaxSimpleKey = 128;
constexpr std::size_t kIndent = 2;

bool IsDigit(std::uint32_t c) { return c >= '0' && c <= '9'; }

// Outside ASCII, decided by Unicode blocks: neither punctuation nor symbols nor emoji.
bool IsLetter(std::uint32_t c) {
  if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool is_symbol = c < 0xc0 || c == 0xd7 || c == 0xf7 || (c >= 0x2000 && c < 0x2c00);
  return !is_symbol && c < 0x1f000;
}

// Returns the code point at `i` and sets `size` to its bytes. An invalid byte gives U+FFFD.
std::uint32_t CodeAt(std::string_view text, std::size_t i, std::size_t& size) {
  const internal::base::CodePoint point = internal::base::FirstCodePoint(text.substr(i));
  size = point.size;
  return point.valid ? point.code : 0xfffd;
}

std::vector<std::uint32_t> CodesOf(std::string_view text) {
  std::vector<std::uint32_t> codes;
  codes.reserve(text.size());
  std::size_t size = 0;
  for (std::size_t i = 0; i < text.size(); i += size) codes.push_back(CodeAt(text, i, size));
  return codes;
}

// Parses the digits from `i` on and sets `end` behind them. Long numbers wrap around, as in Go.
std::uint64_t NumberAt(const std::vector<std::uint32_t>& codes, std::size_t i, std::uint64_t number,
                       std::size_t& end) {
  for (end = i; end < codes.size() && IsDigit(codes[end]); ++end) {
    number = number * 10 + (codes[end] - '0');
  }
  return number;
}

// Order of keys: a2 before a10, and letters behind all other characters.
bool KeyLess(std::string_view left, std::string_view right) {
  const std::vector<std::uint32_t> a = CodesOf(left);
  const std::vector<std::uint32_t> b = CodesOf(right);
  const std::size_t common = std::min(a.size(), b.size());
  std::size_t i = 0;
  while (i < common && a[i] == b[i]) ++i;
  if (i == common) return a.size() < b.size();
  const bool a_letter = IsLetter(a[i]);
  const bool b_letter = IsLetter(b[i]);
  if (a_letter && b_letter) return a[i] < b[i];
  if (a_letter || b_letter) return b_letter;
  // Distinguishes a zero inside a number from a leading zero.
  std::uint64_t before = 0;
  if (a[i] == '0' || b[i] == '0') {
    for (std::size_t j = i; j > 0 && IsDigit(a[j - 1]); --j) {
      if (a[j - 1] != '0') before = 1;
    }
  }
  std::size_t a_end = 0;
  std::size_t b_end = 0;
  const auto a_number = static_cast<std::int64_t>(NumberAt(a, i, before, a_end));
  const auto b_number = static_cast<std::int64_t>(NumberAt(b, i, before, b_end));
  if (a_number != b_number) return a_number < b_number;
  if (a_end != b_end) return a_end < b_end;
  return a[i] < b[i];
}

// Properties of a text that determine how it is written.
struct Traits {
  bool has_break = false;      // \n, or a line break of YAML 1.1
  bool has_special = false;    // must be escaped
  bool has_indicator = false;  // has a meaning in YAML at its position
  bool blank_at_edge = false;  // a blank or a line break
  bool ends_blank = false;
  bool blank_before_break = false;
};

bool IsPrintable(std::uint32_t c) {
  return c == '\n' || (c <= 0xfffd && !internal::base::IsUnprintable(c));
}

// Whether the character at `i` has a meaning in YAML there.
bool IsIndicator(std::string_view text, std::size_t i) {
  const char c = text[i];
  const auto is_blank = [&](std::size_t k) {
    return text[k] == ' ' || text[k] == '\t' || text[k] == '\n';
  };
  const bool blank_follows = i + 1 == text.size() || is_blank(i + 1);
  if (c == ':') return blank_follows;
  if (i > 0) return c == '#' && is_blank(i - 1);
  if (c == '?' || c == '-') return blank_follows;
  return std::string_view("#,[]{}&*!|>'\"%@`").find(c) != std::string_view::npos;
}

Traits TraitsOf(std::string_view text) {
  Traits traits;
  traits.has_indicator = text.starts_with("---") || text.starts_with("...");
  const auto is = [&](std::size_t i, char c) { return i < text.size() && text[i] == c; };
  std::size_t size = 0;
  for (std::size_t i = 0; i < text.size(); i += size) {
    const std::uint32_t c = CodeAt(text, i, size);
    const bool valid = json::Utf8SequenceLength(text.substr(i)) != 0;
    if (!valid || !IsPrintable(c)) traits.has_special = true;
    if (c == '\n') traits.has_break = true;
    if (size == 1 && IsIndicator(text, i)) traits.has_indicator = true;
    if (c == ' ' && is(i + 1, '\n')) traits.blank_before_break = true;
  }
  const auto is_blank = [&](char c) { return c == ' ' || c == '\n'; };
  traits.blank_at_edge = !text.empty() && (is_blank(text.front()) || is_blank(text.back()));
  traits.ends_blank = text.ends_with(' ');
  return traits;
}

enum class Form { kPlain, kSingle, kDouble, kBlock };

Form FormOf(const std::string& text, bool is_simple_key) {
  const Traits traits = TraitsOf(text);
  if (traits.has_break) {
    const bool fits =
        !traits.ends_blank && !traits.blank_before_break && !traits.has_special && !is_simple_key;
    return fits ? Form::kBlock : Form::kDouble;
  }
  if (!ReadsAsText(text) || traits.has_special) return Form::kDouble;
  // A plain key << would merge a map. Go does not quote it.
  const bool merges = is_simple_key && text == "<<";
  return traits.has_indicator || traits.blank_at_edge || merges ? Form::kSingle : Form::kPlain;
}

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  // Writes a node. Lines after the first begin at `indent`. `in_line`: the first line has begun.
  void Write(const Value& value, std::size_t indent, bool in_line) {
    if (value.is_object() && value.size() != 0) {
      WriteMap(value.members(), indent, in_line);
    } else if (value.is_array() && value.size() != 0) {
      WriteList(value, indent, in_line);
    } else if (value.is_string()) {
      WriteText(value.StringOrEmpty(), std::max(indent, kIndent), /*is_simple_key=*/false);
    } else {
      value.AppendTo(out_);
    }
  }

 private:
  void WriteMap(const json::Object& object, std::size_t indent, bool in_line) {
    std::vector<const json::Object::Member*> order;
    order.reserve(object.size());
    for (const json::Object::Member& member : object) order.push_back(&member);
    std::sort(order.begin(), order.end(),
              [](const auto* a, const auto* b) { return KeyLess(a->first, b->first); });
    for (const json::Object::Member* member : order) {
      if (!in_line) BeginLine(indent);
      in_line = false;
      const auto& [key, value] = *member;
      const bool is_simple = key.size() <= kMaxSimpleKey && key.find('\n') == std::string::npos;
      if (is_simple) {
        WriteText(key, indent + kIndent, /*is_simple_key=*/true);
      } else {
        out_ += "? ";
        WriteText(key, indent + kIndent, /*is_simple_key=*/false);
        BeginLine(indent);
      }
      out_ += ':';
      const bool is_block = value.size() != 0 && (value.is_object() || value.is_array());
      if (!is_block || !is_simple) out_ += ' ';
      // A list is indented like its key.
      const bool level = value.is_array() && is_block && is_simple;
      Write(value, level ? indent : indent + kIndent, /*in_line=*/!is_simple);
    }
  }

  void WriteList(const Value& list, std::size_t indent, bool in_line) {
    for (const Value& item : list.items()) {
      if (!in_line) BeginLine(indent);
      in_line = false;
      out_ += "- ";
      Write(item, indent + kIndent, /*in_line=*/true);
    }
  }

  void WriteText(const std::string& text, std::size_t indent, bool is_simple_key) {
    const Form form = FormOf(text, is_simple_key);
    switch (form) {
      case Form::kBlock:
        WriteBlock(text, indent);
        break;
      case Form::kPlain:
        WriteInLine(text, indent, form, is_simple_key);
        break;
      case Form::kSingle:
      case Form::kDouble: {
        const char quote = form == Form::kSingle ? '\'' : '"';
        out_ += quote;
        WriteInLine(text, indent, form, is_simple_key);
        out_ += quote;
        break;
      }
    }
  }

  void WriteBlock(const std::string& text, std::size_t indent) {
    out_ += '|';
    if (text.front() == ' ' || text.front() == '\n') out_ += static_cast<char>('0' + kIndent);
    if (!text.ends_with('\n')) {
      out_ += '-';
    } else if (text.size() == 1 || text[text.size() - 2] == '\n') {
      out_ += '+';
    }
    out_ += '\n';
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      if (end > start) out_.append(indent, ' ');
      out_.append(text, start, end - start);
      if (end < text.size()) out_ += '\n';
      start = end + 1;
    }
  }

  // Folds at blanks beyond the line width, except in keys.
  void WriteInLine(std::string_view text, std::size_t indent, Form form, bool is_key) {
    std::size_t column = Column();
    bool blank = false;  // the last character was a blank
    std::size_t size = 0;
    for (std::size_t i = 0; i < text.size(); i += size) {
      const std::uint32_t c = CodeAt(text, i, size);
      if (c != ' ') {
        const std::size_t before = out_.size();
        WriteCharacter(c, form);
        column += form == Form::kDouble ? out_.size() - before : 1;
        if (form == Form::kDouble && out_[before] != '\\') {
          column -= out_.size() - before - 1;
        }
        blank = false;
        continue;
      }
      const bool more = i + 1 < text.size();
      const bool blank_follows = more && text[i + 1] == ' ';
      const bool inside = form == Form::kPlain || (i > 0 && more);
      if (!is_key && !blank && column > kLineWidth && inside &&
          (form == Form::kDouble || !blank_follows)) {
        out_ += '\n';
        out_.append(indent, ' ');
        column = indent;
        if (form == Form::kDouble && blank_follows) {
          out_ += '\\';
          ++column;
        }
      } else {
        out_ += ' ';
        ++column;
      }
      blank = true;
    }
  }

  void WriteCharacter(std::uint32_t c, Form form) {
    if (form == Form::kSingle && c == '\'') out_ += '\'';
    if (form != Form::kDouble || (IsPrintable(c) && c != '\n' && c != '"' && c != '\\')) {
      json::AppendUtf8(c, out_);
      return;
    }
    out_ += '\\';
    switch (c) {
      case 0x00:
        out_ += '0';
        return;
      case 0x07:
        out_ += 'a';
        return;
      case 0x08:
        out_ += 'b';
        return;
      case 0x09:
        out_ += 't';
        return;
      case 0x0a:
        out_ += 'n';
        return;
      case 0x0b:
        out_ += 'v';
        return;
      case 0x0c:
        out_ += 'f';
        return;
      case 0x0d:
        out_ += 'r';
        return;
      case 0x1b:
        out_ += 'e';
        return;
      case '"':
      case '\\':
        out_ += static_cast<char>(c);
        return;
      default:
        break;
    }
    // Not all readers know the short escapes for C1 (\N) and for line separators.
    const int digits = c < 0x80 ? 2 : c <= 0xffff ? 4 : 8;
    out_ += digits == 2 ? 'x' : digits == 4 ? 'u' : 'U';
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
      out_ += "0123456789ABCDEF"[(c >> static_cast<unsigned>(shift)) & 0xfU];
    }
  }

  void BeginLine(std::size_t indent) {
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
    out_.append(indent, ' ');
  }

  // Number of characters in the current line.
  [[nodiscard]] std::size_t Column() const {
    const std::size_t line = out_.rfind('\n');
    const std::size_t start = line == std::string::npos ? 0 : line + 1;
    return static_cast<std::size_t>(
        std::count_if(out_.begin() + static_cast<std::ptrdiff_t>(start), out_.end(),
                      [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
  }

  std::string& out_;
};

}  // namespace

std::string Dump(const Value& value) {
  std::string out;
  Writer(out).Write(value, 0, /*in_line=*/false);
  if (out.empty() || out.back() != '\n') out += '\n';
  return out;
}

}  // namespace kinformer::yaml
