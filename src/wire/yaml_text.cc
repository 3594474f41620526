#include "wire/yaml_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "wire/json_text.h"

namespace kinformer::yaml {
namespace {

// Blanks and line ends inside a text of one or several lines. They are kept here until it is known
// whether they are folded or dropped.
class Gap {
 public:
  [[nodiscard]] bool ends_line() const { return ends_line_; }

  // A '\' at the end of a line: the line break is dropped.
  void JoinLines() { ends_line_ = true; }

  void ReadBlanksAndBreaks(Cursor& in) {
    while (in.IsBlank() || in.IsBreak()) ReadOne(in);
  }

  void ReadOne(Cursor& in) {
    if (!in.IsBreak()) {
      if (ends_line_) return in.Skip();
      in.Read(blanks_);
      return;
    }
    in.ReadBreak(ends_line_ ? breaks_ : first_);
    blanks_.clear();
    ends_line_ = true;
  }

  // One line end becomes a blank, several become one less; blanks are kept.
  void AppendTo(std::string& out) {
    if (!ends_line_ && blanks_.empty()) return;
    if (!ends_line_) {
      out += blanks_;
    } else if (first_.starts_with('\n')) {
      out += breaks_.empty() ? std::string_view(" ") : std::string_view(breaks_);
    } else {
      out += first_;
      out += breaks_;
    }
    *this = Gap();
  }

 private:
  std::string blanks_;
  std::string first_;   // of the ends of lines
  std::string breaks_;  // all others
  bool ends_line_ = false;
};

enum class Tail { kClip, kStrip, kKeep };

struct BlockHeader {
  Tail tail = Tail::kClip;
  std::size_t indent = 0;  // 0: that of the first line
};

BlockHeader ReadBlockHeader(Cursor& in, const Mark& start) {
  BlockHeader header;
  const auto read_tail = [&] {
    if (in.At() != '+' && in.At() != '-') return false;
    header.tail = in.At() == '+' ? Tail::kKeep : Tail::kStrip;
    in.Skip();
    return true;
  };
  const bool tail_first = read_tail();
  if (in.At() >= '0' && in.At() <= '9') {
    header.indent = static_cast<std::size_t>(in.At() - '0');
    if (header.indent == 0) throw Stop{start, "a block cannot be indented by 0 columns"};
    in.Skip();
    if (!tail_first) read_tail();
  }
  in.SkipBlanks();
  in.SkipComment();
  if (!in.IsBreakOrEnd())
    throw Stop{start, "behind '|' or '>' stand '+', '-', a digit and comments only"};
  in.SkipBreak();
  return header;
}

// Skips empty lines, which are added to `breaks`, up to the column of the block's lines. An
// `indent` of 0 is set to that of the line.
void SkipToBlockLine(Cursor& in, std::ptrdiff_t parent, std::size_t& indent, std::string& breaks,
                     const Mark& start) {
  std::size_t deepest = 0;
  const auto is_outside = [&] { return indent == 0 || in.mark().column < indent; };
  while (true) {
    while (is_outside() && in.At() == ' ') in.Skip();
    deepest = std::max(deepest, in.mark().column);
    if (is_outside() && in.At() == '\t')
      throw Stop{start, "a tab at the beginning of a line of this block; indent with blanks"};
    if (!in.IsBreak()) break;
    in.ReadBreak(breaks);
  }
  if (indent == 0)
    indent = std::max({deepest, static_cast<std::size_t>(parent + 1), std::size_t{1}});
}

// Returns the character of a short escape behind '\'; nullopt if it is unknown.
std::optional<std::string_view> ShortEscape(char c) {
  using namespace std::string_view_literals;
  constexpr std::pair<char, std::string_view> kEscapes[] = {
      {'0', "\0"sv},   {'a', "\a"},     {'b', "\b"},    {'t', "\t"},  {'\t', "\t"},
      {'n', "\n"},     {'v', "\v"},     {'f', "\f"},    {'r', "\r"},  {'e', "\x1b"},
      {' ', " "},      {'"', "\""},     {'\'', "'"},    {'\\', "\\"}, {'N', "\u0085"},
      {'_', "\u00a0"}, {'L', "\u2028"}, {'P', "\u2029"}};
  for (const auto& [name, text] : kEscapes) {
    if (name == c) return text;
  }
  return std::nullopt;
}

void ReadEscaped(Cursor& in, std::string& out) {
  const Mark mark = in.mark();
  const char name = in.At(1);
  const int digits = name == 'x' ? 2 : name == 'u' ? 4 : name == 'U' ? 8 : 0;
  if (digits == 0) {
    const std::optional<std::string_view> text = ShortEscape(name);
    if (!text) throw Stop{mark, "no such escape; write '\\\\' for a '\\', or use single quotes"};
    out += *text;
    return in.Skip(2);
  }
  in.Skip(2);
  std::uint64_t code = 0;
  for (int i = 0; i < digits; ++i) {
    const int digit = json::HexDigit(in.At());
    if (digit < 0) {
      throw Stop{mark, std::string("an escape of ") + name + " takes " + std::to_string(digits) +
                           " hexadecimal digits"};
    }
    code = code * 16 + static_cast<std::uint64_t>(digit);
    in.Skip();
  }
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
    throw Stop{mark, "no character has that number; above U+FFFF write \\U with eight digits"};
  json::AppendUtf8(static_cast<std::uint32_t>(code), out);
}

}  // namespace

std::string ReadBlockText(Cursor& in, std::ptrdiff_t parent) {
  const Mark start = in.mark();
  const bool folds = in.At() == '>';
  in.Skip();
  const BlockHeader header = ReadBlockHeader(in, start);
  std::size_t indent = header.indent;
  if (indent != 0 && parent > 0) indent += static_cast<std::size_t>(parent);
  std::string text;
  std::string line_end;  // of the last line with something in it
  std::string breaks;    // of the empty lines behind that
  SkipToBlockLine(in, parent, indent, breaks, start);
  bool after_indented = false;
  while (in.mark().column == indent && !in.AtEnd()) {
    const bool indented = in.IsBlank();
    if (folds && !after_indented && !indented && line_end.starts_with('\n')) {
      if (breaks.empty()) text += ' ';
    } else {
      text += line_end;
    }
    text += breaks;
    line_end.clear();
    breaks.clear();
    after_indented = indented;
    while (!in.IsBreakOrEnd()) in.Read(text);
    in.ReadBreak(line_end);
    SkipToBlockLine(in, parent, indent, breaks, start);
  }
  if (header.tail != Tail::kStrip) text += line_end;
  if (header.tail == Tail::kKeep) text += breaks;
  return text;
}

std::string ReadQuotedText(Cursor& in) {
  const Mark start = in.mark();
  const char quote = in.At();
  in.Skip();
  std::string text;
  Gap gap;
  while (true) {
    if (in.AtDocumentMark())
      throw Stop{start, "the text that begins here has no closing quote in its document"};
    if (in.AtEnd()) throw Stop{start, "the text that begins here has no closing quote"};
    while (!in.IsBlankOrEnd()) {
      if (quote == '\'' && in.StartsWith("''")) {
        text += '\'';
        in.Skip(2);
      } else if (in.At() == quote) {
        break;
      } else if (quote == '"' && in.At() == '\\') {
        if (in.IsBreak(1)) {
          in.Skip();
          in.SkipBreak();
          gap.JoinLines();
          break;
        }
        ReadEscaped(in, text);
      } else {
        in.Read(text);
      }
    }
    if (in.At() == quote) break;
    gap.ReadBlanksAndBreaks(in);
    gap.AppendTo(text);
  }
  in.Skip();
  return text;
}

std::string ReadPlainText(Cursor& in, std::ptrdiff_t parent, bool in_flow, bool& ends_line) {
  const Mark start = in.mark();
  const auto is_outside = [&] { return static_cast<std::ptrdiff_t>(in.mark().column) <= parent; };
  std::string text;
  Gap gap;
  while (!in.AtDocumentMark() && in.At() != '#') {
    while (!in.IsBlankOrEnd()) {
      if (in.At() == ':' && in.IsBlankOrEnd(1)) break;
      if (in_flow && std::string_view(",?[]{}").find(in.At()) != std::string_view::npos) break;
      gap.AppendTo(text);
      in.Read(text);
    }
    if (!in.IsBlank() && !in.IsBreak()) break;
    while (in.IsBlank() || in.IsBreak()) {
      if (gap.ends_line() && is_outside() && in.At() == '\t')
        throw Stop{start,
                   "a tab at the beginning of a line that belongs to this text; indent "
                   "with blanks"};
      gap.ReadOne(in);
    }
    if (!in_flow && is_outside()) break;
  }
  ends_line = gap.ends_line();
  return text;
}

}  // namespace kinformer::yaml
