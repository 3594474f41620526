#include "wire/yaml_parser.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <utility>

namespace kinformer::yaml {
namespace {

// Limits for %TAG: each tag repeats its prefix and searches all handles.
constexpr std::size_t kMostHandles = 64;
constexpr std::size_t kMostPrefix = 1024;

bool IsOneOf(TokenKind kind, std::initializer_list<TokenKind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool EndsDocument(TokenKind kind) {
  return IsOneOf(kind, {TokenKind::kVersion, TokenKind::kTagDirective, TokenKind::kDocumentStart,
                        TokenKind::kDocumentEnd, TokenKind::kEnd});
}

}  // namespace

bool Parser::Skip(TokenKind kind) {
  if (!Next(kind)) return false;
  tokens_.Take();
  return true;
}

void Parser::ReadNothing() { builder_->OnScalar({tokens_.Peek().mark}, "", /*plain=*/true); }

std::optional<Mark> Parser::ReadDocument(Builder& into) {
  builder_ = &into;
  const bool first = std::exchange(first_, false);
  while (!first && Skip(TokenKind::kDocumentEnd)) {
  }
  handles_.clear();
  if (Next(TokenKind::kEnd)) return std::nullopt;
  const bool implicit =
      first && !IsOneOf(tokens_.Peek().kind,
                        {TokenKind::kVersion, TokenKind::kTagDirective, TokenKind::kDocumentStart});
  if (!implicit) {
    ReadDirectives();
    if (!Skip(TokenKind::kDocumentStart)) {
      throw Stop{tokens_.Peek().mark,
                 first ? "behind a directive (%) stands the '---' of its document"
                       : "the document has ended before this; is it indented as what it belongs "
                         "to?"};
    }
  }
  const Mark mark = tokens_.Peek().mark;
  if (!implicit && EndsDocument(tokens_.Peek().kind)) {
    ReadNothing();
  } else {
    ReadNode(/*in_block=*/true, /*level_list=*/false);
  }
  return mark;
}

void Parser::ReadDirectives() {
  bool has_version = false;
  while (Next(TokenKind::kVersion) || Next(TokenKind::kTagDirective)) {
    Token token = tokens_.Take();
    if (token.kind == TokenKind::kVersion) {
      if (std::exchange(has_version, true)) throw Stop{token.mark, "a second %YAML"};
      if (token.text != "1" || token.suffix != "1")
        throw Stop{token.mark, "this is read as YAML 1.1; leave %YAML out"};
      continue;
    }
    for (const Handle& handle : handles_) {
      if (handle.name == token.text) throw Stop{token.mark, "a second %TAG of " + token.text};
    }
    if (handles_.size() >= kMostHandles || token.suffix.size() > kMostPrefix)
      throw Stop{token.mark, "more %TAG than anybody needs, or a longer one"};
    handles_.push_back({std::move(token.text), std::move(token.suffix)});
  }
}

std::string Parser::FullTag(const Token& tag) const {
  if (tag.text.empty()) return tag.suffix;
  for (const Handle& handle : handles_) {
    if (handle.name == tag.text) return handle.prefix + tag.suffix;
  }
  if (tag.text == "!") return "!" + tag.suffix;
  if (tag.text == "!!") return "tag:yaml.org,2002:" + tag.suffix;
  throw Stop{tag.mark, "no %TAG says what " + tag.text + " is in this tag"};
}

Properties Parser::ReadProperties() {
  Properties properties{tokens_.Peek().mark};
  for (int i = 0; i < 2; ++i) {
    if (Next(TokenKind::kAnchor) && properties.anchor.empty()) {
      properties.anchor = tokens_.Take().text;
    } else if (Next(TokenKind::kTag) && properties.tag.empty()) {
      properties.tag = FullTag(tokens_.Take());
    }
  }
  return properties;
}

// `level_list`: the '-' of a list may be in the same column as the key of the list.
void Parser::ReadNode(bool in_block, bool level_list) {
  if (Next(TokenKind::kAlias)) {
    const Token alias = tokens_.Take();
    return builder_->OnAlias(alias.mark, alias.text);
  }
  const Properties properties = ReadProperties();
  const Token& token = tokens_.Peek();
  if (token.kind == TokenKind::kScalar) {
    builder_->OnScalar(properties, token.text, token.plain);
    tokens_.Take();
    return;
  }
  const bool is_level = level_list && token.kind == TokenKind::kBlockEntry;
  const bool is_block_list = in_block && token.kind == TokenKind::kListStart;
  if (is_level || is_block_list || token.kind == TokenKind::kFlowListStart) {
    builder_->OnListStart(properties);
    is_level ? ReadLevelList() : is_block_list ? ReadBlockList() : ReadFlowList();
    return builder_->OnEnd();
  }
  const bool is_block_map = in_block && token.kind == TokenKind::kMapStart;
  if (is_block_map || token.kind == TokenKind::kFlowMapStart) {
    builder_->OnMapStart(properties);
    is_block_map ? ReadBlockMap() : ReadFlowMap();
    return builder_->OnEnd();
  }
  if (!properties.anchor.empty() || !properties.tag.empty())
    return builder_->OnScalar(properties, "", /*plain=*/true);
  throw Stop{token.mark, token.kind == TokenKind::kEnd ? "the text ends where a value is expected"
                                                       : "expected a value here"};
}

void Parser::ReadBlockList() {
  const Mark start = tokens_.Take().mark;
  while (Skip(TokenKind::kBlockEntry)) {
    if (Next(TokenKind::kBlockEntry) || Next(TokenKind::kBlockEnd)) {
      ReadNothing();
    } else {
      ReadNode(/*in_block=*/true, /*level_list=*/false);
    }
  }
  if (Skip(TokenKind::kBlockEnd)) return;
  throw Stop{tokens_.Peek().mark, "expected the next '-' of the list that begins in line " +
                                      std::to_string(start.line + 1) + ", or less indentation"};
}

void Parser::ReadLevelList() {
  while (Skip(TokenKind::kBlockEntry)) {
    if (IsOneOf(tokens_.Peek().kind, {TokenKind::kBlockEntry, TokenKind::kKey, TokenKind::kValue,
                                      TokenKind::kBlockEnd})) {
      ReadNothing();
    } else {
      ReadNode(/*in_block=*/true, /*level_list=*/false);
    }
  }
}

void Parser::ReadBlockMap() {
  const Mark start = tokens_.Take().mark;
  const auto read_part = [this] {
    if (IsOneOf(tokens_.Peek().kind, {TokenKind::kKey, TokenKind::kValue, TokenKind::kBlockEnd})) {
      ReadNothing();
    } else {
      ReadNode(/*in_block=*/true, /*level_list=*/true);
    }
  };
  while (Skip(TokenKind::kKey)) {
    read_part();
    Skip(TokenKind::kValue) ? read_part() : ReadNothing();
  }
  if (Skip(TokenKind::kBlockEnd)) return;
  throw Stop{tokens_.Peek().mark, "expected the next key of the map that begins in line " +
                                      std::to_string(start.line + 1) + ", or less indentation"};
}

void Parser::ReadFlowList() {
  const Mark start = tokens_.Take().mark;
  for (bool first = true; !Next(TokenKind::kFlowListEnd); first = false) {
    if (!first && !Skip(TokenKind::kFlowEntry)) {
      throw Stop{tokens_.Peek().mark,
                 "expected ',' or the ']' of the '[' in line " + std::to_string(start.line + 1)};
    }
    if (Next(TokenKind::kKey)) {
      ReadPair();
    } else if (!Next(TokenKind::kFlowListEnd)) {
      ReadNode(/*in_block=*/false, /*level_list=*/false);
    }
  }
  tokens_.Take();
}

// Reads a map of one key in a list: [a: 1].
void Parser::ReadPair() {
  const auto read_part = [this] {
    if (IsOneOf(tokens_.Peek().kind,
                {TokenKind::kValue, TokenKind::kFlowEntry, TokenKind::kFlowListEnd})) {
      ReadNothing();
    } else {
      ReadNode(/*in_block=*/false, /*level_list=*/false);
    }
  };
  builder_->OnMapStart({tokens_.Take().mark});
  read_part();
  Skip(TokenKind::kValue) ? read_part() : ReadNothing();
  builder_->OnEnd();
}

void Parser::ReadFlowMap() {
  const Mark start = tokens_.Take().mark;
  const auto read_part = [this] {
    if (IsOneOf(tokens_.Peek().kind,
                {TokenKind::kValue, TokenKind::kFlowEntry, TokenKind::kFlowMapEnd})) {
      ReadNothing();
    } else {
      ReadNode(/*in_block=*/false, /*level_list=*/false);
    }
  };
  for (bool first = true; !Next(TokenKind::kFlowMapEnd); first = false) {
    if (!first && !Skip(TokenKind::kFlowEntry)) {
      throw Stop{tokens_.Peek().mark,
                 "expected ',' or the '}' of the '{' in line " + std::to_string(start.line + 1)};
    }
    if (Skip(TokenKind::kKey)) {
      read_part();
      Skip(TokenKind::kValue) ? read_part() : ReadNothing();
    } else if (!Next(TokenKind::kFlowMapEnd)) {
      ReadNode(/*in_block=*/false, /*level_list=*/false);
      ReadNothing();
    }
  }
  tokens_.Take();
}

}  // namespace kinformer::yaml
