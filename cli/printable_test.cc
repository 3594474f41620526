#include "cli/printable.h"

#include <gtest/gtest.h>

namespace kinformer::cli {
namespace {

// Control characters and C1 in what is printed.
TEST(Printable, LeavesNoControlCharacter) {
  EXPECT_EQ(Printable("web-0"), "web-0");
  EXPECT_EQ(Printable("a\x1b[2Jb\x07\n\x7f"), "a [2Jb   ");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31mred\xc2\x85"),
            " 31mred ");
  EXPECT_EQ(Printable("\x9b"
                      "31m"),
            " 31m");
  EXPECT_EQ(Printable("gr\xc3\xbc\xc3\x9f\xe2\x82\xac\xf0\x9f\x90\x8b"),
            "gr\xc3\xbc\xc3\x9f\xe2\x82\xac\xf0\x9f\x90\x8b");
  EXPECT_EQ(Printable("cut\xe2\x82"), "cut  ");
}

TEST(Printable, JsonMeansTheSame) {
  EXPECT_EQ(PrintableJson("{\n  \"a\": \"\xc2\x9b\x7f\xc3\xbc\"\n}"),
            "{\n  \"a\": \"\\u009b\\u007f\xc3\xbc\"\n}");
}

}  // namespace
}  // namespace kinformer::cli
