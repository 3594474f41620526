#include "cel/lexer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cel/text.h"

namespace kinformer::internal::cel {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr std::array<std::string_view, 26> kSigns = {
    "==", "!=", "<=", ">=", "&&", "||", "[", "]", "{", "}", "(", ")", ".",
    ",",  "-",  "!",  "?",  ":",  "+",  "*", "/", "%", "<", ">", "=", "&"};

}  // namespace

void Lexer::SkipBlanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
      ++at_;
    } else if (c == '/' && At(1) == '/') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else {
      return;
    }
  }
}

Token Lexer::Next() {
  SkipBlanks();
  Token token{.kind = TokenKind::kEnd, .offset = at_};
  if (at_ >= text_.size()) return token;
  const char c = text_[at_];
  if (IsLetter(c)) {
    // Up to two of r and b in front of a quote.
    for (std::size_t length = 0; length <= 2; ++length) {
      if (At(length) == '"' || At(length) == '\'') {
        const std::string_view prefix = text_.substr(at_, length);
        const bool raw = prefix.find_first_of("rR") != std::string_view::npos;
        const bool bytes = prefix.find_first_of("bB") != std::string_view::npos;
        if (length > static_cast<std::size_t>(raw) + static_cast<std::size_t>(bytes)) break;
        at_ += length;
        token = Quoted(raw, bytes);
        token.offset = static_cast<std::size_t>(prefix.data() - text_.data());
        return token;
      }
      if (std::string_view("rRbB").find(At(length)) == std::string_view::npos) break;
    }
    const std::size_t start = at_;
    while (IsLetter(At(0)) || IsDigit(At(0))) ++at_;
    token.kind = TokenKind::kIdentifier;
    token.text = text_.substr(start, at_ - start);
    return token;
  }
  if (c == '"' || c == '\'') return Quoted(false, false);
  if (c == '`' && QuotedNameLength() > 0) return QuotedName();
  if (IsDigit(c) || (c == '.' && IsDigit(At(1)))) return Number();
  for (const std::string_view sign : kSigns) {
    if (!text_.substr(at_).starts_with(sign)) continue;
    if (sign == "=" || sign == "&") break;
    at_ += sign.size();
    token.kind = TokenKind::kSign;
    token.text = sign;
    return token;
  }
  token.kind = TokenKind::kError;
  const std::size_t length = RuneAt(text_, at_).size;
  token.text = "token recognition error at: '" + std::string(text_.substr(at_, length)) + "'";
  at_ += length;
  return token;
}

std::size_t Lexer::QuotedNameLength() const {
  std::size_t length = 0;
  for (char c = At(1); IsLetter(c) || IsDigit(c) || c == '.' || c == '-' || c == '/' || c == ' ';
       c = At(1 + length)) {
    ++length;
  }
  return At(1 + length) == '`' ? length : 0;
}

Token Lexer::QuotedName() {
  Token token{.kind = TokenKind::kQuotedName, .offset = at_};
  const std::size_t length = QuotedNameLength();
  token.text = text_.substr(at_ + 1, length);
  at_ += length + 2;
  return token;
}

Token Lexer::Number() {
  Token token{.kind = TokenKind::kInt, .offset = at_};
  const std::size_t start = at_;
  if (At(0) == '0' && (At(1) == 'x' || At(1) == 'X') && HexDigit(At(2)) >= 0) {
    at_ += 2;
    while (HexDigit(At(0)) >= 0) ++at_;
    token.text = "0x" + std::string(text_.substr(start + 2, at_ - start - 2));
  } else {
    while (IsDigit(At(0))) ++at_;
    if (At(0) == '.' && IsDigit(At(1))) {
      token.kind = TokenKind::kDouble;
      ++at_;
      while (IsDigit(At(0))) ++at_;
    }
    const std::size_t sign = At(1) == '+' || At(1) == '-' ? 2 : 1;
    if ((At(0) == 'e' || At(0) == 'E') && IsDigit(At(sign))) {
      token.kind = TokenKind::kDouble;
      at_ += sign;
      while (IsDigit(At(0))) ++at_;
    }
    token.text = text_.substr(start, at_ - start);
  }
  if (token.kind == TokenKind::kInt && (At(0) == 'u' || At(0) == 'U')) {
    token.kind = TokenKind::kUint;
    ++at_;
  }
  return token;
}

Token Lexer::Quoted(bool raw, bool bytes) {
  const std::size_t start = at_;
  Token token{.kind = bytes ? TokenKind::kBytes : TokenKind::kString, .offset = start};
  const char quote = text_[at_];
  const bool triple = At(1) == quote && At(2) == quote;
  at_ += triple ? 3 : 1;
  const auto fail = [&](std::string message) {
    token.kind = TokenKind::kError;
    token.text = std::move(message);
    return token;
  };
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == quote && (!triple || (At(1) == quote && At(2) == quote))) {
      at_ += triple ? 3 : 1;
      return token;
    }
    if (!triple && (c == '\n' || c == '\r')) break;
    ++at_;
    if (c != '\\') {
      token.text += c;
    } else if (raw) {
      token.text += c;
      if (at_ < text_.size()) token.text += text_[at_++];
    } else if (!Escape(bytes, token.text)) {
      return fail("invalid escape sequence in a literal");
    }
  }
  return fail("token recognition error at: '" + std::string(text_.substr(start, at_ - start)) +
              "'");
}

bool Lexer::Escape(bool bytes, std::string& out) {
  constexpr std::string_view kNames = "abfnrtv\\?\"'`";
  constexpr std::string_view kSignsOfNames = "\a\b\f\n\r\t\v\\?\"'`";
  const char c = At(0);
  ++at_;
  if (const std::size_t at = kNames.find(c); c != '\0' && at != std::string_view::npos) {
    out += kSignsOfNames[at];
    return true;
  }
  if (c == 'x' || c == 'X') return CodePoint(2, bytes, out);
  if (c == 'u') return !bytes && CodePoint(4, false, out);
  if (c == 'U') return !bytes && CodePoint(8, false, out);
  if (c < '0' || c > '3') return false;
  std::uint32_t octal = static_cast<std::uint32_t>(c - '0');
  for (int i = 0; i < 2; ++i, ++at_) {
    if (At(0) < '0' || At(0) > '7') return false;
    octal = octal * 8 + static_cast<std::uint32_t>(At(0) - '0');
  }
  if (bytes) {
    out += static_cast<char>(octal);
  } else {
    AppendRune(octal, out);
  }
  return true;
}

bool Lexer::CodePoint(std::size_t digits, bool bytes, std::string& out) {
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < digits; ++i, ++at_) {
    const int digit = HexDigit(At(0));
    if (digit < 0) return false;
    code = code * 16 + static_cast<std::uint32_t>(digit);
  }
  if (bytes) {
    out += static_cast<char>(code);
    return true;
  }
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
  AppendRune(code, out);
  return true;
}

}  // namespace kinformer::internal::cel
