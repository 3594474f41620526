#include "wire/yaml_cursor.h"

#include <algorithm>

namespace kinformer::yaml {
namespace {

// Returns the size of a character from its first byte.
std::size_t SizeOf(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

}  // namespace

Cursor::Cursor(std::string_view text, std::size_t line) : text_(text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  mark_.line = line;
}

std::size_t Cursor::BreakSize(std::size_t ahead) const {
  const auto is = [&](std::size_t i, unsigned char byte) {
    return static_cast<unsigned char>(At(ahead + i)) == byte;
  };
  switch (At(ahead)) {
    case '\n':
      return 1;
    case '\r':
      return is(1, '\n') ? 2 : 1;
    case '\xc2':
      return is(1, 0x85) ? 2 : 0;
    case '\xe2':
      return is(1, 0x80) && (is(2, 0xa8) || is(2, 0xa9)) ? 3 : 0;
    default:
      return 0;
  }
}

bool Cursor::IsWord() const {
  const char c = At();
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '-';
}

bool Cursor::AtDocumentMark() const {
  return mark_.column == 0 && (StartsWith("---") || StartsWith("...")) && IsBlankOrEnd(3);
}

void Cursor::Skip() {
  at_ = std::min(at_ + SizeOf(At()), text_.size());
  ++mark_.index;
  ++mark_.column;
}

void Cursor::Skip(std::size_t count) {
  for (; count > 0; --count) Skip();
}

void Cursor::Read(std::string& out) {
  const std::size_t from = at_;
  Skip();
  out.append(text_, from, at_ - from);
}

void Cursor::SkipBlanks() {
  while (IsBlank()) Skip();
}

void Cursor::SkipComment() {
  if (At() != '#') return;
  while (!IsBreakOrEnd()) Skip();
}

void Cursor::SkipBreak() {
  const std::size_t size = BreakSize(0);
  if (size == 0) return;
  at_ += size;
  ++mark_.index;
  EndLine();
}

void Cursor::ReadBreak(std::string& out) {
  const std::size_t size = BreakSize(0);
  if (size == 3) {
    out.append(text_, at_, size);
  } else if (size != 0) {
    out += '\n';
  }
  SkipBreak();
}

void Cursor::EndLine() {
  ++mark_.line;
  mark_.column = 0;
}

}  // namespace kinformer::yaml
