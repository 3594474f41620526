#include "cli/printable.h"

#include <gtest/gtest.h>

namespace kinformer::cli {
namespace {

TEST(Printable, LinesAndTabsOfAText_AreKept) {
  EXPECT_EQ(PrintableLines("a\tb\n\x1b[m\r\n\n\u202e"), "a\tb\n\\x1b[m\\r\n\n\\u202e");
  EXPECT_EQ(PrintableLines(""), "");
}

TEST(Printable, JsonMeansTheSame) {
  EXPECT_EQ(PrintableJson("{\n  \"a\": \"\u009b\x7f\u00fc\u202e\ufeff\"\n}"),
            R"({
  "a": "\u009b\u007f)"
            "\u00fc"
            R"(\u202e\ufeff"
})");
}

}  // namespace
}  // namespace kinformer::cli
