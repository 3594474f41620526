#include "wire/yaml_tokens.h"

#include <algorithm>

#include "wire/yaml_text.h"

namespace kinformer::yaml {
namespace {

// Maximum length of a key without a '?'.
constexpr std::size_t kMaxKey = 1024;

Stop NoKey(const Mark& mark) {
  return Stop{mark, "expected a key and ':' here, in one line of at most 1024 characters"};
}

}  // namespace

const Token& Tokens::Peek() {
  static const Token kEnd;
  while (queue_.empty() || HeadMayBeKey()) {
    if (ended_) return kEnd;
    FetchNext();
  }
  return queue_.front();
}

Token Tokens::Take() {
  Token token = Peek();
  if (!queue_.empty()) {
    queue_.pop_front();
    ++taken_;
  }
  return token;
}

bool Tokens::HeadMayBeKey() {
  if (possible_keys_.empty() || possible_keys_.front().token != taken_) return false;
  const PossibleKey& key = possible_keys_.front();
  if (!IsStale(key)) return true;
  if (key.required) throw NoKey(key.mark);
  possible_keys_.pop_front();
  return false;
}

bool Tokens::IsStale(const PossibleKey& key) const {
  return key.mark.line < in_.mark().line || key.mark.index + kMaxKey < in_.mark().index;
}

void Tokens::SaveKey() {
  if (!key_allowed_) return;
  const bool required = level_ == 0 && indent_ == static_cast<std::ptrdiff_t>(in_.mark().column);
  DropKey();
  possible_keys_.push_back({level_, next_token(), in_.mark(), required});
}

void Tokens::DropKey() {
  if (possible_keys_.empty() || possible_keys_.back().level != level_) return;
  if (possible_keys_.back().required) throw NoKey(possible_keys_.back().mark);
  possible_keys_.pop_back();
}

void Tokens::Push(TokenKind kind, const Mark& mark, std::string text, std::string suffix) {
  queue_.push_back({kind, mark, std::move(text), std::move(suffix)});
}

void Tokens::PushSkipping(TokenKind kind, std::size_t count) {
  Push(kind, in_.mark());
  in_.Skip(count);
}

void Tokens::Insert(std::size_t token, Token inserted) {
  queue_.insert(queue_.begin() + static_cast<std::ptrdiff_t>(token - taken_), std::move(inserted));
}

void Tokens::Indent(std::size_t column, std::size_t token, TokenKind kind, const Mark& mark) {
  const auto deeper = static_cast<std::ptrdiff_t>(column);
  if (level_ > 0 || indent_ >= deeper) return;
  outer_indents_.push_back(indent_);
  indent_ = deeper;
  Insert(token, {kind, mark});
}

void Tokens::Unindent(std::ptrdiff_t column) {
  if (level_ > 0) return;
  while (indent_ > column) {
    Push(TokenKind::kBlockEnd, in_.mark());
    indent_ = outer_indents_.back();
    outer_indents_.pop_back();
  }
}

void Tokens::SkipToToken() {
  while (true) {
    // A tab does not indent, so it is not allowed where a key could begin.
    const bool tabs = level_ > 0 || !key_allowed_;
    while (in_.At() == ' ' || (tabs && in_.At() == '\t')) in_.Skip();
    in_.SkipComment();
    if (!in_.IsBreak()) return;
    in_.SkipBreak();
    if (level_ == 0) key_allowed_ = true;
  }
}

void Tokens::FetchNext() {
  SkipToToken();
  Unindent(static_cast<std::ptrdiff_t>(in_.mark().column));
  if (in_.AtEnd()) return FetchEnd();
  if (in_.mark().column == 0 && in_.At() == '%') return FetchDirective();
  if (in_.AtDocumentMark()) return FetchDocumentMark();
  FetchIndicator();
}

void Tokens::FetchIndicator() {
  const bool in_flow = level_ > 0;
  switch (in_.At()) {
    case '[':
      return FetchFlowStart(TokenKind::kFlowListStart);
    case '{':
      return FetchFlowStart(TokenKind::kFlowMapStart);
    case ']':
      return FetchFlowEnd(TokenKind::kFlowListEnd);
    case '}':
      return FetchFlowEnd(TokenKind::kFlowMapEnd);
    case ',':
      return FetchFlowEntry();
    case '*':
      return FetchName(TokenKind::kAlias);
    case '&':
      return FetchName(TokenKind::kAnchor);
    case '!':
      return FetchTag();
    case '-':
      return in_.IsBlankOrEnd(1) ? FetchBlockEntry() : FetchScalar();
    case '?':
      return in_flow || in_.IsBlankOrEnd(1) ? FetchKey() : FetchScalar();
    case ':':
      return in_flow || in_.IsBlankOrEnd(1) ? FetchValue() : FetchScalar();
    case '\t':
      throw Stop{in_.mark(), "a tab where a key could begin; indent with blanks"};
    case '#':
    case '%':
    case '@':
    case '`':
      throw Stop{in_.mark(),
                 std::string("no text begins with '") + in_.At() + "'; put it in quotes"};
    default:
      FetchScalar();
  }
}

void Tokens::FetchEnd() {
  if (in_.mark().column != 0) in_.EndLine();
  Unindent(-1);
  DropKey();
  key_allowed_ = false;
  ended_ = true;
  Push(TokenKind::kEnd, in_.mark());
}

void Tokens::FetchDirective() {
  Unindent(-1);
  DropKey();
  key_allowed_ = false;
  queue_.push_back(ReadDirective(in_));
}

void Tokens::FetchDocumentMark() {
  Unindent(-1);
  DropKey();
  key_allowed_ = false;
  PushSkipping(in_.At() == '-' ? TokenKind::kDocumentStart : TokenKind::kDocumentEnd, 3);
}

void Tokens::FetchFlowStart(TokenKind kind) {
  SaveKey();
  ++level_;
  key_allowed_ = true;
  PushSkipping(kind, 1);
}

void Tokens::FetchFlowEnd(TokenKind kind) {
  DropKey();
  if (level_ > 0) --level_;
  key_allowed_ = false;
  PushSkipping(kind, 1);
}

void Tokens::FetchFlowEntry() {
  DropKey();
  key_allowed_ = true;
  PushSkipping(TokenKind::kFlowEntry, 1);
}

void Tokens::FetchBlockEntry() {
  if (level_ == 0) {
    if (!key_allowed_) throw Stop{in_.mark(), "no '-' of a list can stand here; begin a new line"};
    Indent(in_.mark().column, next_token(), TokenKind::kListStart, in_.mark());
  }
  DropKey();
  key_allowed_ = true;
  PushSkipping(TokenKind::kBlockEntry, 1);
}

void Tokens::FetchKey() {
  if (level_ == 0) {
    if (!key_allowed_) throw Stop{in_.mark(), "no '?' of a key can stand here; begin a new line"};
    Indent(in_.mark().column, next_token(), TokenKind::kMapStart, in_.mark());
  }
  DropKey();
  key_allowed_ = level_ == 0;
  PushSkipping(TokenKind::kKey, 1);
}

void Tokens::FetchValue() {
  const bool at_level = !possible_keys_.empty() && possible_keys_.back().level == level_;
  if (at_level && IsStale(possible_keys_.back())) DropKey();
  if (!possible_keys_.empty() && possible_keys_.back().level == level_) {
    const PossibleKey key = possible_keys_.back();
    possible_keys_.pop_back();
    Insert(key.token, {TokenKind::kKey, key.mark});
    Indent(key.mark.column, key.token, TokenKind::kMapStart, key.mark);
    key_allowed_ = false;
  } else {
    if (level_ == 0) {
      if (!key_allowed_) {
        throw Stop{in_.mark(),
                   "no key can have its ':' here; put a text that holds \": \" in "
                   "quotes"};
      }
      Indent(in_.mark().column, next_token(), TokenKind::kMapStart, in_.mark());
    }
    key_allowed_ = level_ == 0;
  }
  PushSkipping(TokenKind::kValue, 1);
}

void Tokens::FetchName(TokenKind kind) {
  SaveKey();
  key_allowed_ = false;
  const Mark start = in_.mark();
  in_.Skip();
  std::string name;
  while (in_.IsWord()) in_.Read(name);
  const bool ends =
      in_.IsBlankOrEnd() || std::string_view("?:,]}%@`").find(in_.At()) != std::string_view::npos;
  if (name.empty() || !ends) {
    throw Stop{start, kind == TokenKind::kAlias
                          ? "an alias is '*' and a name of letters, digits, '_' and '-'; put a "
                            "text that begins with '*' in quotes"
                          : "an anchor is '&' and a name of letters, digits, '_' and '-'; put a "
                            "text that begins with '&' in quotes"};
  }
  Push(kind, start, std::move(name));
}

void Tokens::FetchTag() {
  SaveKey();
  key_allowed_ = false;
  const Mark start = in_.mark();
  auto [handle, suffix] = ReadTag(in_);
  Push(TokenKind::kTag, start, std::move(handle), std::move(suffix));
}

void Tokens::FetchScalar() {
  const Mark start = in_.mark();
  const bool is_block = level_ == 0 && (in_.At() == '|' || in_.At() == '>');
  if (is_block) {
    DropKey();
    key_allowed_ = true;
    return Push(TokenKind::kScalar, start, ReadBlockText(in_, indent_));
  }
  if (in_.At() == '|' || in_.At() == '>')
    throw Stop{start, "no block can begin inside brackets; put the text in quotes"};
  SaveKey();
  key_allowed_ = false;
  if (in_.At() == '"' || in_.At() == '\'')
    return Push(TokenKind::kScalar, start, ReadQuotedText(in_));
  bool ends_line = false;
  Push(TokenKind::kScalar, start, ReadPlainText(in_, indent_, level_ > 0, ends_line));
  queue_.back().plain = true;
  if (ends_line) key_allowed_ = true;
}

}  // namespace kinformer::yaml
