// wire/yaml_parser.h
//
// The grammar of YAML 1.1: starts and ends of values in the sequence of tokens.

#ifndef KINFORMER_WIRE_YAML_PARSER_H_
#define KINFORMER_WIRE_YAML_PARSER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/yaml_builder.h"
#include "wire/yaml_tokens.h"

namespace kinformer::yaml {

// Reads a text's documents one by one. Not thread-safe. Keeps a reference to the text. Throws a
// Stop if the text is not YAML. Recursive, as deep as its builder allows.
class Parser {
 public:
  // `line`: the number of the text's first line.
  Parser(std::string_view text, std::size_t line) : tokens_(text, line) {}

  // Reads the next document into `into`, and returns the position of its value; nullopt if there is
  // none.
  std::optional<Mark> ReadDocument(Builder& into);

 private:
  struct Handle {
    std::string name;
    std::string prefix;
  };

  void ReadDirectives();
  void ReadNode(bool in_block, bool level_list);
  Properties ReadProperties();
  [[nodiscard]] std::string FullTag(const Token& tag) const;
  void ReadBlockList();
  void ReadLevelList();
  void ReadBlockMap();
  void ReadFlowList();
  void ReadPair();
  void ReadFlowMap();

  bool Next(TokenKind kind) { return tokens_.Peek().kind == kind; }
  bool Skip(TokenKind kind);
  // Reads a missing value.
  void ReadNothing();

  Tokens tokens_;
  Builder* builder_ = nullptr;
  bool first_ = true;
  std::vector<Handle> handles_;
};

}  // namespace kinformer::yaml

#endif  // KINFORMER_WIRE_YAML_PARSER_H_
