#include "cli/age.h"

#include <gtest/gtest.h>

#include "cli/report.h"
#include "cli/table.h"

namespace kinformer::cli {
namespace {

TEST(Age, HumanDuration) {
  const struct {
    std::int64_t seconds;
    const char* text;
  } kRows[] = {
      {0, "0s"},          {1, "1s"},         {119, "119s"},    {120, "2m"},       {330, "5m30s"},
      {600, "10m"},       {10799, "179m"},   {10800, "3h"},    {11400, "3h10m"},  {28800, "8h"},
      {172799, "47h"},    {172800, "2d"},    {183600, "2d3h"}, {691200, "8d"},    {63072000, "2y"},
      {95212800, "3y7d"}, {252288000, "8y"}, {-1, "0s"},       {-5, "<invalid>"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(HumanDuration(std::chrono::seconds(row.seconds)), row.text) << row.seconds;
  }
}

TEST(Age, OfATime) {
  const WallTime now{std::chrono::seconds(1'000'000'100)};
  EXPECT_EQ(AgeOf("2001-09-09T01:46:40Z", now), "100s");
  EXPECT_EQ(AgeOf("", now), "<unknown>");
  EXPECT_EQ(AgeOf("yesterday", now), "<unknown>");
  EXPECT_EQ(AgeOf("2001-13-09T01:46:40Z", now), "<unknown>");
}

TEST(Table, ColumnsBeginAtTheSamePlace) {
  Table table;
  table.Measure({"NAME", "AGE"});
  table.Measure({"long-name", "1s"});
  EXPECT_EQ(table.Line({"NAME", "AGE"}), "NAME        AGE");
  EXPECT_EQ(table.Line({"long-name", "1s"}), "long-name   1s");
  EXPECT_EQ(table.Line({"\xc3\xa4", "x"}), "\xc3\xa4           x");
  EXPECT_EQ(table.Line({"a\x1b[31m\nb"}), "a [31m b");
}

TEST(Report, OneLineWithTheRemedy) {
  EXPECT_EQ(ErrorLine(Error(Reason::kForbidden, "pods is forbidden: User \"u\"\ncannot list")),
            "error: pods is forbidden: User \"u\" cannot list. Ask for a role that allows it; "
            "`kubectl auth can-i --list` shows what you may do");
  EXPECT_NE(
      ErrorLine(Error(Reason::kUnauthorized, "Unauthorized"), "context a of /b")
          .find("Unauthorized. The server does not accept the credentials of context a of /b"),
      std::string::npos);
  EXPECT_EQ(ErrorLine(Error(Reason::kConfig, "x: no such file")), "error: x: no such file");
}

}  // namespace
}  // namespace kinformer::cli
