// Tags and directives, which are rare.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "wire/json_text.h"
#include "wire/yaml_tokens.h"

namespace kinformer::yaml {
namespace {

constexpr std::string_view kUriMarks = ";/?:@&=+$,.!~*'()[]%";

// Reads a character written as hexadecimal digits, byte by byte.
void ReadUriEscape(Cursor& in, const Mark& start, std::string& out) {
  std::string bytes;
  do {
    const int high = in.At() == '%' ? json::HexDigit(in.At(1)) : -1;
    const int low = high < 0 ? -1 : json::HexDigit(in.At(2));
    if (low < 0) throw Stop{start, "behind '%' in a tag stand two hexadecimal digits"};
    bytes += static_cast<char>(high * 16 + low);
    in.Skip(3);
  } while (json::FirstInvalidUtf8(bytes) != bytes.size() && bytes.size() < 4);
  if (json::FirstInvalidUtf8(bytes) != bytes.size())
    throw Stop{start, "the escapes of this tag are not UTF-8"};
  out += bytes;
}

std::string ReadUri(Cursor& in, const Mark& start, std::string uri, bool may_be_empty) {
  while (in.IsWord() || (!in.AtEnd() && kUriMarks.find(in.At()) != std::string_view::npos)) {
    may_be_empty = true;
    if (in.At() == '%') {
      ReadUriEscape(in, start, uri);
    } else {
      in.Read(uri);
    }
  }
  if (!may_be_empty) throw Stop{start, "a tag without a name"};
  return uri;
}

// Reads "!", "!word" or "!word!".
std::string ReadHandle(Cursor& in, const Mark& start) {
  if (in.At() != '!') throw Stop{start, "the handle of a tag begins with '!'"};
  std::string handle;
  in.Read(handle);
  while (in.IsWord()) in.Read(handle);
  if (in.At() == '!') in.Read(handle);
  return handle;
}

bool IsHandle(const std::string& text) { return text.size() > 1 && text.ends_with('!'); }

std::string ReadVersionNumber(Cursor& in, const Mark& start) {
  std::string digits;
  while (in.At() >= '0' && in.At() <= '9') in.Read(digits);
  if (digits.empty()) throw Stop{start, "%YAML takes a version like 1.1"};
  return digits;
}

}  // namespace

std::pair<std::string, std::string> ReadTag(Cursor& in) {
  const Mark start = in.mark();
  std::pair<std::string, std::string> tag;
  if (in.At(1) == '<') {
    in.Skip(2);
    tag.second = ReadUri(in, start, {}, /*may_be_empty=*/false);
    if (in.At() != '>') throw Stop{start, "a tag that begins with '!<' ends with '>'"};
    in.Skip();
  } else {
    const std::string handle = ReadHandle(in, start);
    if (IsHandle(handle)) {
      tag = {handle, ReadUri(in, start, {}, /*may_be_empty=*/false)};
    } else {
      tag = {"!", ReadUri(in, start, handle.substr(1), /*may_be_empty=*/true)};
      if (tag.second.empty()) std::swap(tag.first, tag.second);
    }
  }
  if (!in.IsBlankOrEnd()) throw Stop{start, "behind a tag stands a blank or the end of the line"};
  return tag;
}

Token ReadDirective(Cursor& in) {
  Token token;
  token.mark = in.mark();
  const Mark& start = token.mark;
  in.Skip();
  std::string name;
  while (in.IsWord()) in.Read(name);
  const bool is_known = (name == "YAML" || name == "TAG") && in.IsBlankOrEnd();
  if (!is_known) {
    throw Stop{start,
               "a line that begins with '%' is a directive, %YAML or %TAG; put a text in quotes"};
  }
  in.SkipBlanks();
  if (name == "YAML") {
    token.kind = TokenKind::kVersion;
    token.text = ReadVersionNumber(in, start);
    if (in.At() != '.') throw Stop{start, "%YAML takes a version like 1.1"};
    in.Skip();
    token.suffix = ReadVersionNumber(in, start);
  } else {
    token.kind = TokenKind::kTagDirective;
    token.text = ReadHandle(in, start);
    const bool is_handle = token.text == "!" || IsHandle(token.text);
    if (!is_handle || !in.IsBlank()) throw Stop{start, "%TAG takes a handle and its prefix"};
    in.SkipBlanks();
    token.suffix = ReadUri(in, start, {}, /*may_be_empty=*/false);
  }
  in.SkipBlanks();
  in.SkipComment();
  if (!in.IsBreakOrEnd()) throw Stop{start, "behind a directive stand comments only"};
  in.SkipBreak();
  return token;
}

}  // namespace kinformer::yaml
