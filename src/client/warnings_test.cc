#include "client/warnings.h"

#include <gtest/gtest.h>
#include <string>

#include "client/features.h"

namespace kinformer::internal::client {
namespace {

TEST(Warnings, SeveralInOneHeader) {
  const auto warnings = ParseWarningHeader(
      R"(299 - "first, with a comma", 199 agent "a \"quoted\" one" "Sat, 21 Nov 2026")");
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0].code, 299);
  EXPECT_EQ(warnings[0].agent, "-");
  EXPECT_EQ(warnings[0].text, "first, with a comma");
  EXPECT_EQ(warnings[1].code, 199);
  EXPECT_EQ(warnings[1].text, "a \"quoted\" one");
}

TEST(Warnings, MalformedWarning_EndsTheHeader) {
  EXPECT_EQ(ParseWarningHeader(R"(299 - "good", 29 - "short code", 299 - "lost")").size(), 1u);
  for (const char* bad : {"", "299", "299 -", "299 - text", "299 - \"open", "abc - \"x\"",
                          "299 - \"x\" y", "2/9 - \"x\"", "2:9 - \"x\"", "2990 - \"x\"",
                          "299\t- \"x\"", "299 \"x\"", "299 - \"x\" \"open",
                          "299 - \"x\" \"date\" y", "299 - \"x\\", "299 - \"x\\\"", "299 - xa\""}) {
    EXPECT_TRUE(ParseWarningHeader(bad).empty()) << bad;
  }
}

TEST(Warnings, BlanksAndDatesAreSkipped) {
  const auto warnings =
      ParseWarningHeader("  \t299  -\t \"a\" \"date\" ,\t299 - \"b\" ,199 x \"\"  ");
  ASSERT_EQ(warnings.size(), 3U);
  EXPECT_EQ(warnings[0].text, "a");
  EXPECT_EQ(warnings[1].text, "b");
  EXPECT_EQ(warnings[2].text, "");
  EXPECT_EQ(warnings[2].agent, "x");
}

TEST(Warnings, AllCodes_AreParsed) {
  for (const int code : {100, 210, 299, 909}) {
    const auto warnings = ParseWarningHeader(std::to_string(code) + " - \"x\"");
    ASSERT_EQ(warnings.size(), 1U) << code;
    EXPECT_EQ(warnings[0].code, code);
  }
}

TEST(Warnings, ControlCharactersDoNotReachTheLog) {
  EXPECT_EQ(ParseWarningHeader("299 - \"a\nb\x1b[31mc\"").at(0).text, "ab[31mc");
}

TEST(Warnings, ControlCharacters_AreRemovedAndNeighboursStay) {
  EXPECT_EQ(ParseWarningHeader("299 - \"a\x1f\x20\x7e\x7f\xc3\xa9\"").at(0).text, "a \x7e\xc3\xa9");
}

TEST(Features, OnlyBooleansChangeTheDefault) {
  EXPECT_TRUE(ParseFeature(nullptr, true));
  EXPECT_FALSE(ParseFeature(nullptr, false));
  EXPECT_FALSE(ParseFeature("false", true));
  EXPECT_TRUE(ParseFeature("True", false));
  EXPECT_TRUE(ParseFeature("maybe", true));
}

}  // namespace
}  // namespace kinformer::internal::client
