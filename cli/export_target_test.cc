#include "cli/export_target.h"

#include <gtest/gtest.h>
#include <string>

namespace kinformer::cli {
namespace {

TEST(ExportTarget_, FormIsReadFromTheText) {
  EXPECT_EQ(ReadExportTarget("a/b.sqlite")->kind, ExportTarget::Kind::kSqlite);
  EXPECT_EQ(ReadExportTarget("b.sqlite3")->kind, ExportTarget::Kind::kSqlite);
  EXPECT_EQ(ReadExportTarget("b.db")->kind, ExportTarget::Kind::kSqlite);
  EXPECT_EQ(ReadExportTarget("b.jsonl")->kind, ExportTarget::Kind::kLines);
  EXPECT_EQ(ReadExportTarget("postgres://u@h/d")->kind, ExportTarget::Kind::kPostgres);
  EXPECT_EQ(ReadExportTarget("postgresql://u@h/d")->kind, ExportTarget::Kind::kPostgres);
}

TEST(ExportTarget_, OtherTextIsRefusedWithTheFormsThatThereAre) {
  const auto file = ReadExportTarget("pods.csv");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().reason(), Reason::kInvalidArgument);
  EXPECT_NE(file.error().message().find("\"pods.csv\" is neither FILE.sqlite nor FILE.jsonl"),
            std::string::npos);
}

TEST(ExportTarget_, SecretsOfAUrlAreInNoMessage) {
  const auto other = ReadExportTarget("mysql://root:swordfish@h/d");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message().find("swordfish"), std::string::npos);
  EXPECT_EQ(ReadExportTarget("postgres://root:swordfish@h/d")->Name(), "the database");
}

TEST(ExportTarget_, LinesHaveNeitherColumnsNorHistory) {
  const auto sink =
      OpenExportTarget({.kind = ExportTarget::Kind::kLines, .place = "x.jsonl"}, {.history = true});
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().reason(), Reason::kInvalidArgument);
}

}  // namespace
}  // namespace kinformer::cli
