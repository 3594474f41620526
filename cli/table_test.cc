#include "cli/table.h"

#include <gtest/gtest.h>

namespace kinformer::cli {
namespace {

TEST(Table, ANarrowColumn_IsSixWide) {
  Table table;
  table.Measure({"A", "B", "C"});
  EXPECT_EQ(table.Line({"A", "B", "C"}), "A     B     C");
  EXPECT_EQ(table.Line({"1234", "", "C"}), "1234         C");
}

TEST(Table, ColumnsBeginAtTheSamePlace) {
  Table table;
  table.Measure({"NAME", "AGE"});
  table.Measure({"long-name", "1s"});
  EXPECT_EQ(table.Line({"NAME", "AGE"}), "NAME        AGE");
  EXPECT_EQ(table.Line({"long-name", "1s"}), "long-name   1s");
  EXPECT_EQ(table.Line({"\xc3\xa4", "x"}), "\xc3\xa4           x");
  EXPECT_EQ(table.Line({"a\x1b[m\n\u202e"}), R"(a\x1b[m\n\u202e)");
}

}  // namespace
}  // namespace kinformer::cli
