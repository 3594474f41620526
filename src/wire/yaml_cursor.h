// wire/yaml_cursor.h
//
// A position in a YAML text, and tests for the kinds of characters at that position, named as in
// the YAML specification. Lines end with \n, \r or \r\n, and as in YAML 1.1 also with U+0085,
// U+2028 and U+2029.

#ifndef KINFORMER_WIRE_YAML_CURSOR_H_
#define KINFORMER_WIRE_YAML_CURSOR_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace kinformer::yaml {

// A position, counted from zero, in characters.
struct Mark {
  std::size_t index = 0;
  std::size_t line = 0;
  std::size_t column = 0;
};

// Thrown at an error, and caught in yaml.cc; never leaves this folder.
struct Stop {
  Mark mark;
  std::string why;
};

// Copyable; not thread-safe. Keeps a reference to the text. REQUIRES: UTF-8 without zero bytes.
class Cursor {
 public:
  // Starts behind the byte order mark. `line`: the number of the text's first line.
  Cursor(std::string_view text, std::size_t line);

  [[nodiscard]] const Mark& mark() const { return mark_; }

  // Returns the byte `ahead` bytes further; 0 behind the end.
  [[nodiscard]] char At(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool AtEnd() const { return at_ >= text_.size(); }
  [[nodiscard]] bool StartsWith(std::string_view text) const {
    return text_.substr(at_).starts_with(text);
  }

  // Tests for a space or a tab; a line end; any of these or the end of the text.
  [[nodiscard]] bool IsBlank(std::size_t ahead = 0) const {
    return At(ahead) == ' ' || At(ahead) == '\t';
  }
  [[nodiscard]] bool IsBreak(std::size_t ahead = 0) const { return BreakSize(ahead) != 0; }
  [[nodiscard]] bool IsBreakOrEnd(std::size_t ahead = 0) const {
    return at_ + ahead >= text_.size() || IsBreak(ahead);
  }
  [[nodiscard]] bool IsBlankOrEnd(std::size_t ahead = 0) const {
    return IsBlank(ahead) || IsBreakOrEnd(ahead);
  }
  // Tests for an ASCII letter, digit, '_' or '-', of which names and handles consist.
  [[nodiscard]] bool IsWord() const;

  // Tests for "---" or "..." at the start of a line, followed by a blank or a line end.
  [[nodiscard]] bool AtDocumentMark() const;

  // Skips a character that is no line end, or appends it to `out`. REQUIRES: not AtEnd().
  void Skip();
  void Read(std::string& out);
  // Skips ASCII characters.
  void Skip(std::size_t count);
  void SkipBlanks();
  void SkipComment();

  // Skips a line end if there is one. ReadBreak appends \n for it, or a line or paragraph separator
  // unchanged.
  void SkipBreak();
  void ReadBreak(std::string& out);

  // Ends the line; the end of the text also ends a line.
  void EndLine();

 private:
  // Returns the bytes of the line end, or 0.
  [[nodiscard]] std::size_t BreakSize(std::size_t ahead) const;

  std::string_view text_;
  std::size_t at_ = 0;
  Mark mark_;
};

}  // namespace kinformer::yaml

#endif  // KINFORMER_WIRE_YAML_CURSOR_H_
