#include "sinks/postgres/copy_text.h"

#include <gtest/gtest.h>
#include <string>

namespace kinformer::internal::sinks {
namespace {

TEST(CopyTextTest, Field_IsEscaped) {
  std::string out = "x";
  AppendCopyField(out, "a\tb\nc\rd\\e");
  EXPECT_EQ(out, R"(xa\tb\nc\rd\\e)");
  AppendCopyField(out, "");
  EXPECT_EQ(out, R"(xa\tb\nc\rd\\e)");
}

TEST(CopyTextTest, EscapedNul_IsReplaced) {
  std::string json = R"({"a":"\u0000x\\u0000\\\u0000","b":"\u00001"})";
  ReplaceEscapedNul(json);
  EXPECT_EQ(json, R"({"a":"\ufffdx\\u0000\\\ufffd","b":"\ufffd1"})");
}

}  // namespace
}  // namespace kinformer::internal::sinks
