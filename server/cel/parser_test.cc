#include "cel/parser.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kinformer::internal::cel {
namespace {

std::string ErrorOf(std::string_view text) {
  std::vector<Problem> problems;
  const auto root = Parse(text, problems);
  EXPECT_EQ(root == nullptr, !problems.empty()) << text;
  return problems.empty() ? "" : problems[0].message;
}

TEST(CelParser, RefusesWhatIsNoExpression) {
  struct Row {
    const char* text;
    const char* error;
  };
  for (const Row& row : {
           Row{"", "Syntax error: mismatched input '<EOF>'"},
           Row{"1 +", "Syntax error: mismatched input '<EOF>'"},
           Row{"self.n >>> 0", "Syntax error: mismatched input '>'"},
           Row{"(1", "Syntax error: mismatched input '<EOF>'"},
           Row{"[1 2]", "Syntax error: mismatched input '2'"},
           Row{"a b", "Syntax error: mismatched input 'b'"},
           Row{"a = b", "Syntax error: token recognition error at: '='"},
           Row{"'a", "Syntax error: token recognition error at: ''a'"},
           Row{"'\\q'", "Syntax error: invalid escape sequence in a literal"},
           Row{"namespace", "reserved identifier: namespace"},
           Row{"9223372036854775808", "invalid int literal"},
           Row{"18446744073709551616u", "invalid uint literal"},
           Row{"has(a)", "invalid argument to has() macro"},
           Row{"a.all(b.c, true)", "argument must be a simple name"},
           Row{"a.all(b, b, true)", "duplicate variable name: b"},
           Row{"a ? b", "Syntax error: mismatched input '<EOF>'"},
       }) {
    EXPECT_EQ(ErrorOf(row.text), row.error) << row.text;
  }
}

TEST(CelParser, ShowsThePlaceOfAProblem) {
  std::vector<Problem> problems;
  const std::string text = "1 ==\n\t'é' + )";
  EXPECT_EQ(Parse(text, problems), nullptr);
  EXPECT_EQ(ProblemText(text, problems),
            "ERROR: <input>:2:8: Syntax error: mismatched input ')'\n"
            " |  'é' + )\n"
            " | ..．....^");
}

TEST(CelParser, BoundsSizeAndDepth) {
  const auto repeated = [](std::string_view part, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += part;
    return out;
  };
  const std::string deep = "expression recursion limit exceeded: 200";
  EXPECT_EQ(ErrorOf(repeated("(", 150) + "1" + repeated(")", 150)), "");
  EXPECT_EQ(ErrorOf(repeated("(", 5000) + "1"), deep);
  EXPECT_EQ(ErrorOf(repeated("[", 5000)), deep);
  EXPECT_EQ(ErrorOf("1" + repeated("+1", 5000)), deep);
  EXPECT_EQ(ErrorOf("a" + repeated(".b", 5000)), deep);
  EXPECT_EQ(ErrorOf("a" + repeated("[0]", 5000)), deep);
  EXPECT_EQ(ErrorOf(repeated("a?b:", 5000) + "c"), deep);
  EXPECT_EQ(ErrorOf("!" + repeated("!", 5000) + "a"), "");
  EXPECT_EQ(ErrorOf("a" + repeated("&&a", 5000)), "");
  EXPECT_EQ(ErrorOf(repeated(" ", 100'001)),
            "expression code point size exceeds limit: size: 100001, limit 100000");
}

}  // namespace
}  // namespace kinformer::internal::cel
