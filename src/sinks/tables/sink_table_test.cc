#include "sinks/tables/sink_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace kinformer::internal::sinks {
namespace {

using testing::HasSubstr;

std::string Why(const auto& result) {
  EXPECT_FALSE(result.ok());
  return result.ok() ? "" : result.error().message();
}

TEST(SinkTableTest, NameHasUnderscoresForWhatSqlDoesNotTake) {
  EXPECT_EQ(TableOf("pods", {})->name, "pods");
  EXPECT_EQ(TableOf("widgets.my-example.com", {})->name, "widgets_my_example_com");
  EXPECT_EQ(TableOf("pods", {})->history(), "pods_history");
}

TEST(SinkTableTest, Columns_AreThoseOfTheResource) {
  const DatabaseOptions options{
      .columns = {{"pods", "node", ".spec.nodeName"}, {"nodes", "os", ".x"}, {"pods", "b", ".y"}}};
  const auto table = TableOf("pods", options);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->columns, "node=.spec.nodeName,b=.y");
  EXPECT_EQ(table->declared.front().second,
            (FieldPath{std::string("spec"), std::string("nodeName")}));
}

TEST(SinkTableTest, ColumnNameThatCannotBe_IsRefused) {
  for (const char* const name : {"", "Node", "a b", "1a", "x;"}) {
    EXPECT_THAT(Why(TableOf("pods", {.columns = {{"pods", name, ".a"}}})),
                HasSubstr("lower-case letters"))
        << name;
  }
  EXPECT_THAT(Why(TableOf("pods", {.columns = {{"pods", "uid", ".a"}}})), HasSubstr("already"));
  EXPECT_THAT(Why(TableOf("pods", {.columns = {{"pods", "a", ".a"}, {"pods", "a", ".b"}}})),
              HasSubstr("already"));
}

TEST(SinkColumnsTest, TextIsRead) {
  const auto columns = ParseSinkColumns("pods:node=.spec.nodeName,app=.metadata.labels['a,b=c']");
  ASSERT_TRUE(columns) << columns.error();
  ASSERT_EQ(columns->size(), 2U);
  EXPECT_EQ(columns->at(0).resource, "pods");
  EXPECT_EQ(columns->at(0).name, "node");
  EXPECT_EQ(columns->at(1).name, "app");
  EXPECT_EQ(columns->at(1).path, ".metadata.labels['a,b=c']");
}

TEST(SinkColumnsTest, WrongText_ErrorNamesTheColumn) {
  EXPECT_THAT(Why(ParseSinkColumns("node=.spec")), HasSubstr("the resource is missing"));
  EXPECT_THAT(Why(ParseSinkColumns("pods:node")), HasSubstr("column \"node\": write NAME=PATH"));
  EXPECT_THAT(Why(ParseSinkColumns("pods:a=.x,")), HasSubstr("column \"\""));
  EXPECT_THAT(Why(ParseSinkColumns("pods:a=spec")), HasSubstr("\"spec\" at 1"));
}

TEST(FieldPathTest, StepsAreNamesAndPositions) {
  const auto path = ParseFieldPath(R"(.status.podIPs[0].a\.b["x.y"])");
  ASSERT_TRUE(path) << path.error();
  EXPECT_EQ(*path, (FieldPath{std::string("status"), std::string("podIPs"), std::size_t{0},
                              std::string("a.b"), std::string("x.y")}));
}

TEST(FieldPathTest, WrongPath_ErrorSaysWhere) {
  for (const char* const wrong :
       {"", "spec", ".", ".a..b", ".a[", ".a[x]", ".a['b'", ".a['']", ".a[0", ".a[-1]"}) {
    EXPECT_THAT(Why(ParseFieldPath(wrong)), HasSubstr(" at ")) << wrong;
  }
}

TEST(SqlTextTest, QuotesAreDoubled) {
  EXPECT_EQ(Quoted("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(Literal("a'b"), "'a''b'");
}

}  // namespace
}  // namespace kinformer::internal::sinks
