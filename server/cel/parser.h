// cel/parser.h
//
// Parse: an expression's text as a tree, with its macros in place.

#ifndef KINFORMER_CEL_PARSER_H_
#define KINFORMER_CEL_PARSER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cel/expression.h"

namespace kinformer::internal::cel {

// Longer texts and deeper trees are refused, so that recursion over a tree is bounded.
inline constexpr std::size_t kMaxTextBytes = 100'000;
inline constexpr std::size_t kMaxDepth = 200;

// A problem of an expression, with its place.
struct Problem {
  std::size_t offset = 0;
  std::string message{};
};

// Returns the tree, or null and one problem.
std::unique_ptr<Node> Parse(std::string_view text, std::vector<Problem>& problems);

// Returns "ERROR: <input>:1:6: message", with the line and a mark below the place; problems are on
// lines of their own.
std::string ProblemText(std::string_view text, std::vector<Problem> problems);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_PARSER_H_
