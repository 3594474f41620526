// Names, literals and comments of C++ that `kinformer crd types` writes.

#include "cli/cpp_text.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace kinformer::cli {
namespace {

TEST(CppText_Test, Names_OfMembers_AreNamesInCpp) {
  EXPECT_EQ(CppName("replicas"), "replicas");
  EXPECT_EQ(CppName("class"), "class_");
  EXPECT_EQ(CppName("$ref"), "_ref");
  EXPECT_EQ(CppName("x-y.z"), "x_y_z");
  EXPECT_EQ(CppName("2nd"), "_2nd");
  EXPECT_EQ(CppName(""), "_");
  EXPECT_EQ(CppTypeName("maxItems"), "MaxItems");
  EXPECT_EQ(CppTypeName("x-y"), "XY");
  EXPECT_EQ(CppTypeName("2nd"), "X2nd");
}

TEST(CppText_Test, Names_ThatAreUsed_GetANumber) {
  std::set<std::string> used;
  EXPECT_EQ(NewName("a", used), "a");
  EXPECT_EQ(NewName("a", used), "a2");
  EXPECT_EQ(NewName("a", used), "a3");
}

TEST(CppText_Test, Literals_OfAnyText_AreWritten) {
  EXPECT_EQ(CppLiteral("a"), R"("a")");
  EXPECT_EQ(CppLiteral("^\\d\"$"), "R\"(^\\d\"$)\"");
  EXPECT_EQ(CppLiteral("a)\"b"), "R\"x(a)\"b)x\"");
  EXPECT_EQ(CppLiteral("a\n\t\"\\"), "\"a\\n\\011\\\"\\\\\"");
}

TEST(CppText_Test, Comments_OfLongTexts_HaveLinesOfAHundredColumns) {
  EXPECT_EQ(CppComment("", "  "), "");
  EXPECT_EQ(CppComment("One.\nTwo.", "  "), "  // One.\n  // Two.\n");
  EXPECT_EQ(CppComment("One.\n\nTwo\\", ""), "// One.\n//\n// Two\\.\n");
  std::string words;
  for (int i = 0; i < 40; ++i) words += "word ";
  const std::string comment = CppComment(words, "  ");
  for (std::size_t at = 0; at < comment.size();) {
    const std::size_t end = comment.find('\n', at);
    EXPECT_LE(end - at, 100u);
    at = end + 1;
  }
}

}  // namespace
}  // namespace kinformer::cli
