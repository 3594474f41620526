#include "cel/regular_expression.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace kinformer::internal::cel {
namespace {

bool Matches(std::string_view pattern, std::string_view text) {
  return RegularExpression::Compile(pattern).OrExit()->Matches(text);
}

TEST(Patterns, MatchAnywhereInAText) {
  struct Row {
    const char* pattern;
    const char* text;
    bool matches;
  };
  for (const Row& row : {
           Row{"a", "xay", true},
           Row{"a", "xy", false},
           Row{"", "", true},
           Row{"^a$", "xa", false},
           Row{"^\\d{2,3}$", "123", true},
           Row{"^\\d{2,3}$", "1234", false},
           Row{"\\[(?<n>a)", "[a", true},
           Row{"\\[(?<n>a)", "a", false},
           Row{"\\((?:b)", "(b", true},
           Row{"^(?<n>a)$", "a", true},
           Row{"^(?<n>a)$", "n", false},
           Row{"^(?<n>a)(?<m>b)$", "ab", true},
           Row{"^(?P<n>a)$", "a", true},
           Row{"^[(?<n>]$", "<", true},
           Row{"^[(?<n>]$", "P", false},
           Row{"^[(?<n>](?<m>a)$", "?a", true},
           Row{"^[(?<n>](?<m>a)$", "Pa", false},
           Row{"^[\\](?<n>]$", "]", true},
           Row{"^[\\](?<n>]$", "P", false},
           Row{"^a\\\\$", "a\\", true},
           Row{"(?<x>é)", "aé", true},
       }) {
    EXPECT_EQ(Matches(row.pattern, row.text), row.matches) << row.pattern << " " << row.text;
    EXPECT_EQ(RegularExpression::Compile(row.pattern).OrExit()->text(), row.pattern);
  }
  EXPECT_TRUE(Matches("a.c", std::string_view("a\0c", 3)));
}

// The messages are those of Go's regexp/syntax.
TEST(Patterns, Errors_ShowTheFaultyPart) {
  struct Row {
    const char* pattern;
    const char* problem;
  };
  for (const Row& row : {
           Row{"x(", "missing closing ): `x(`"},
           Row{"x)y", "unexpected ): `x)y`"},
           Row{"(?<n>a", "missing closing ): `(?<n>a`"},
           Row{"x[ab", "missing closing ]: `[ab`"},
           Row{"x[[:foo:]]", "invalid character class range: `[:foo:]`"},
           Row{"x\\p{Foo}", "invalid character class range: `\\p{Foo}`"},
           Row{"x[b-a]", "invalid character class range: `b-a`"},
           Row{"x\\8", "invalid escape sequence: `\\8`"},
           Row{"+a", "missing argument to repetition operator: `+`"},
           Row{"x|{2,3}", "missing argument to repetition operator: `{2,3}`"},
           Row{"x|+?", "missing argument to repetition operator: `+?`"},
           Row{"x**", "invalid nested repetition operator: `**`"},
           Row{"x(a{100}){100}", "invalid repeat count: `{100}`"},
           Row{"x(?z)", "invalid or unsupported Perl syntax: `(?z`"},
           Row{"x(?<", "invalid or unsupported Perl syntax: `(?<`"},
           Row{"x(?P<n", "invalid named capture: `(?P<n`"},
           Row{"x(?<n", "invalid named capture: `(?<n`"},
           Row{"x(?<=a)", "invalid named capture: `(?<=a)`"},
           Row{"x(?<!a)", "invalid named capture: `(?<!a)`"},
           Row{"x\xff", "invalid UTF-8: `x\xff`"},
           Row{"x\\", "trailing backslash at end of expression: ``"},
       }) {
    const auto compiled = RegularExpression::Compile(row.pattern);
    ASSERT_FALSE(compiled.ok()) << row.pattern;
    EXPECT_EQ(compiled.error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(compiled.error().message(), std::string("error parsing regexp: ") + row.problem);
  }
}

// Clients choose the patterns, so the server does not log their errors.
TEST(Patterns, Errors_AreNotLogged) {
  ::testing::internal::CaptureStderr();
  EXPECT_FALSE(RegularExpression::Compile("a(").ok());
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Patterns, Memory_IsBounded) {
  EXPECT_TRUE(Matches("^\\pL{50}$", std::string(50, 'a')));
  EXPECT_FALSE(Matches("^\\pL{50}$", std::string(49, 'a')));
  EXPECT_TRUE(RegularExpression::Compile("a{1000}").ok());
  EXPECT_EQ(RegularExpression::Compile("\\pL{150}").error().message(),
            "error parsing regexp: expression too large: `\\pL{150}`");
}

}  // namespace
}  // namespace kinformer::internal::cel
