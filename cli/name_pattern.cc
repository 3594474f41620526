#include "cli/name_pattern.h"

#include <algorithm>
#include <re2/re2.h>
#include <utility>

namespace kinformer::cli {

struct NamePattern::Compiled {
  explicit Compiled(const std::string& text) : expression(text, RE2::Quiet) {}
  const RE2 expression;
};

namespace {

template <class Parse>
Result<std::vector<NamePattern>> ParseAll(const std::vector<std::string>& texts,
                                          const std::string& option, const Parse& parse) {
  std::vector<NamePattern> patterns;
  for (const std::string& text : texts) {
    Result<NamePattern> pattern = parse(text);
    if (!pattern) {
      return Error(Reason::kInvalidArgument, option + ": " + pattern.error().message());
    }
    patterns.push_back(*std::move(pattern));
  }
  return patterns;
}

}  // namespace

bool IsExpression(std::string_view text) {
  return !std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

Result<NamePattern> NamePattern::Parse(const std::string& text) {
  return IsExpression(text) ? ParseExpression(text) : Result<NamePattern>(NamePattern(text));
}

Result<NamePattern> NamePattern::ParseExpression(const std::string& text) {
  NamePattern pattern(text);
  auto compiled = std::make_shared<const Compiled>(text);
  if (!compiled->expression.ok()) {
    return Error(Reason::kInvalidArgument, "\"" + text + "\" is no regular expression: " +
                                               std::string(compiled->expression.error()));
  }
  pattern.compiled_ = std::move(compiled);
  return pattern;
}

bool NamePattern::Matches(std::string_view text) const {
  if (compiled_ == nullptr) return text == name_;
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->expression);
}

Result<std::vector<NamePattern>> ParsePatterns(const std::vector<std::string>& texts,
                                               const std::string& option) {
  return ParseAll(texts, option, NamePattern::Parse);
}

Result<std::vector<NamePattern>> ParseExpressions(const std::vector<std::string>& texts,
                                                  const std::string& option) {
  return ParseAll(texts, option, NamePattern::ParseExpression);
}

bool MatchesAny(const std::vector<NamePattern>& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const NamePattern& pattern) { return pattern.Matches(text); });
}

}  // namespace kinformer::cli
