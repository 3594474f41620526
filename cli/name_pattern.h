// cli/name_pattern.h
//
// NamePattern: which names or lines a person means: a name as it is, or a regular expression.

#ifndef KINFORMER_CLI_NAME_PATTERN_H_
#define KINFORMER_CLI_NAME_PATTERN_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"

namespace kinformer::cli {

// Whether a text has a character that no name of an object has, so that it is a regular expression.
bool IsExpression(std::string_view text);

// A value; copies share the compiled expression. Thread-safe.
class NamePattern {
 public:
  // Parses a name, which matches itself only, or an expression of RE2's syntax, which matches
  // wherever it is found. kInvalidArgument: the expression has a mistake.
  static Result<NamePattern> Parse(const std::string& text);
  // Parses an expression, for lines of text.
  static Result<NamePattern> ParseExpression(const std::string& text);

  [[nodiscard]] bool Matches(std::string_view text) const;

 private:
  struct Compiled;
  explicit NamePattern(std::string name) : name_(std::move(name)) {}

  std::string name_{};
  std::shared_ptr<const Compiled> compiled_{};  // null: the name
};

// Parses each text. `option` is part of the error.
Result<std::vector<NamePattern>> ParsePatterns(const std::vector<std::string>& texts,
                                               const std::string& option);
Result<std::vector<NamePattern>> ParseExpressions(const std::vector<std::string>& texts,
                                                  const std::string& option);

bool MatchesAny(const std::vector<NamePattern>& patterns, std::string_view text);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_NAME_PATTERN_H_
