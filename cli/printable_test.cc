#include "cli/printable.h"

#include <gtest/gtest.h>

namespace kinformer::cli {
namespace {

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
