// cel/lexer.h
//
// Lexer: the tokens of an expression.

#ifndef KINFORMER_CEL_LEXER_H_
#define KINFORMER_CEL_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinformer::internal::cel {

enum class TokenKind : std::uint8_t {
  kEnd,
  kIdentifier,
  kInt,   // text: its digits, in decimal or from "0x" on
  kUint,  // the same, without the 'u'
  kDouble,
  kString,  // text: without quotes and escapes
  kBytes,
  kQuotedName,  // `a-b`: the name of a member; text: without the quotes
  kSign,        // an operator or a bracket
  kError,       // text: the message
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text{};
  std::size_t offset = 0;
};

class Lexer {
 public:
  // Refers to `text`.
  explicit Lexer(std::string_view text) : text_(text) {}

  // After an error it may go on anywhere.
  Token Next();

 private:
  [[nodiscard]] char At(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void SkipBlanks();
  Token Number();
  Token Quoted(bool raw, bool bytes);
  Token QuotedName();
  // Returns the length of the name between the quotes at this place; 0 if there is none.
  [[nodiscard]] std::size_t QuotedNameLength() const;
  // Reads an escape behind its backslash; false if there is no such escape.
  bool Escape(bool bytes, std::string& out);
  bool CodePoint(std::size_t digits, bool bytes, std::string& out);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_LEXER_H_
