// wire/yaml_tokens.h
//
// The tokens of a YAML text, in the order that the grammar (yaml_parser.h) needs: the start of a
// key is only known at its ':', so tokens are held back until no other token can come before them.
// Counterpart: libyaml's scanner, from which Go's is derived: the same texts are accepted, so that
// a file has the same meaning as for kubectl.

#ifndef KINFORMER_WIRE_YAML_TOKENS_H_
#define KINFORMER_WIRE_YAML_TOKENS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/yaml_cursor.h"

namespace kinformer::yaml {

enum class TokenKind : std::uint8_t {
  kEnd,
  kVersion,        // %YAML; text and suffix are its numbers
  kTagDirective,   // %TAG; text is the handle, suffix its prefix
  kDocumentStart,  // ---
  kDocumentEnd,    // ...
  kListStart,      // of a block, by its indentation
  kMapStart,
  kBlockEnd,
  kFlowListStart,  // [
  kFlowListEnd,
  kFlowMapStart,  // {
  kFlowMapEnd,
  kBlockEntry,  // -
  kFlowEntry,   // ,
  kKey,         // '?', or nothing in front of a key
  kValue,       // :
  kAlias,
  kAnchor,
  kTag,  // text is the handle, suffix the rest
  kScalar,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Mark mark;  // where it begins
  std::string text{};
  std::string suffix{};
  bool plain = false;  // a scalar without quotes, no block
};

// Not thread-safe. Keeps a reference to the text. Throws a Stop if the text is not YAML.
class Tokens {
 public:
  Tokens(std::string_view text, std::size_t line) : in_(text, line) {}

  // Returns the next token, until it is taken; always kEnd at the end.
  const Token& Peek();
  Token Take();

 private:
  // A token that becomes a key if a ':' follows in the same line.
  struct PossibleKey {
    std::size_t level = 0;  // of brackets
    std::size_t token = 0;  // its number
    Mark mark;
    bool required = false;  // no other token is allowed there
  };

  void FetchNext();
  void SkipToToken();
  void FetchIndicator();
  void FetchDocumentMark();
  void FetchDirective();
  void FetchFlowStart(TokenKind kind);
  void FetchFlowEnd(TokenKind kind);
  void FetchFlowEntry();
  void FetchBlockEntry();
  void FetchKey();
  void FetchValue();
  void FetchName(TokenKind kind);
  void FetchTag();
  void FetchScalar();
  void FetchEnd();

  // Whether the first token in the queue may still become a key.
  bool HeadMayBeKey();
  [[nodiscard]] bool IsStale(const PossibleKey& key) const;
  void SaveKey();
  void DropKey();
  // Begins a block at that column, if it is deeper; `token`: the block begins in front of it.
  void Indent(std::size_t column, std::size_t token, TokenKind kind, const Mark& mark);
  // Ends all blocks deeper than that column.
  void Unindent(std::ptrdiff_t column);

  void Push(TokenKind kind, const Mark& mark, std::string text = {}, std::string suffix = {});
  void PushSkipping(TokenKind kind, std::size_t count);
  void Insert(std::size_t token, Token inserted);
  [[nodiscard]] std::size_t next_token() const { return taken_ + queue_.size(); }

  Cursor in_;
  std::deque<Token> queue_;
  std::size_t taken_ = 0;
  bool ended_ = false;
  std::size_t level_ = 0;
  std::ptrdiff_t indent_ = -1;
  std::vector<std::ptrdiff_t> outer_indents_;
  bool key_allowed_ = true;
  std::deque<PossibleKey> possible_keys_;  // by level and token
};

// Reads the parts of a tag or a directive, at its '!' or '%'.
std::pair<std::string, std::string> ReadTag(Cursor& in);
Token ReadDirective(Cursor& in);

}  // namespace kinformer::yaml

#endif  // KINFORMER_WIRE_YAML_TOKENS_H_
