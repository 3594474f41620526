// cel/regular_expression.h
//
// RegularExpression: a pattern of a schema or an expression, in the syntax of API servers (Go's,
// which is RE2's). Matching is linear in the text, and the memory of a pattern is bounded, so
// patterns from untrusted users are safe.

#ifndef KINFORMER_CEL_REGULAR_EXPRESSION_H_
#define KINFORMER_CEL_REGULAR_EXPRESSION_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace kinformer::internal::cel {

// Immutable and thread-safe.
class RegularExpression {
 public:
  // Errors have the message that a Go server gives for the pattern: "error parsing regexp: missing
  // closing ): `a(`".
  static Result<std::shared_ptr<const RegularExpression>> Compile(std::string_view text);

  ~RegularExpression();
  RegularExpression(const RegularExpression&) = delete;
  RegularExpression& operator=(const RegularExpression&) = delete;

  // Searches anywhere in `text`.
  [[nodiscard]] bool Matches(std::string_view text) const;
  // Returns the part of `text` behind `from` that matches first and leftmost; nullopt without one.
  [[nodiscard]] std::optional<std::string_view> Find(std::string_view text, std::size_t from) const;
  [[nodiscard]] const std::string& text() const { return text_; }
  // Returns the number of instructions, to which the time of a search may be proportional.
  [[nodiscard]] std::size_t size() const;

 private:
  RegularExpression(std::string text, std::unique_ptr<const re2::RE2> compiled);

  std::string text_;
  std::unique_ptr<const re2::RE2> compiled_;
};

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_REGULAR_EXPRESSION_H_
