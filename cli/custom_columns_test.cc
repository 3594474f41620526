#include "cli/custom_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinformer::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const json::Value& Pod() {
  static const json::Value kPod = json::Parse(R"({"metadata": {"name": "web-0",
    "labels": {"b": "2", "a": "1"}}, "spec": {"nil": null, "n": 5,
    "containers": [{"image": "i:1"}, {"image": "i:2"}]}})")
                                      .OrExit();
  return kPod;
}

TEST(CustomColumns, Cells_AreTheValuesAtTheirPaths) {
  const CustomColumns columns =
      CustomColumns::Parse(
          "NAME:.metadata.name,N:spec.n,IMG:{.spec.containers[*].image},L:.metadata.labels,"
          "X:.missing,NIL:.spec.nil,ALL:.spec.containers,:.a")
          .OrExit();
  EXPECT_THAT(columns.titles(), ElementsAre("NAME", "N", "IMG", "L", "X", "NIL", "ALL", ""));
  EXPECT_THAT(*columns.Cells(Pod()),
              ElementsAre("web-0", "5", "i:1,i:2", "map[a:1 b:2]", "<none>", "<nil>",
                          "[map[image:i:1] map[image:i:2]]", "<none>"));
}

TEST(CustomColumns, AFile_HasTitlesAndPathsInTwoLines) {
  const CustomColumns columns =
      CustomColumns::ParseFile("NAME     COUNT\n.metadata.name\t spec.n\n").OrExit();
  EXPECT_THAT(columns.titles(), ElementsAre("NAME", "COUNT"));
  EXPECT_THAT(*columns.Cells(Pod()), ElementsAre("web-0", "5"));
  EXPECT_THAT(CustomColumns::ParseFile("").error().message(), HasSubstr("has no titles"));
  EXPECT_THAT(CustomColumns::ParseFile("A B\n.a\n").error().message(),
              HasSubstr("2 titles, but 1 paths"));
  EXPECT_THAT(CustomColumns::ParseFile("A\n.a[\n").error().message(), HasSubstr("column A: "));
}

TEST(CustomColumns, Mistakes_NameTheColumn) {
  EXPECT_THAT(CustomColumns::Parse("NAME").error().message(),
              HasSubstr("\"NAME\" is not TITLE:PATH"));
  EXPECT_THAT(CustomColumns::Parse("A:.a,").error().message(), HasSubstr("\"\" is not TITLE:PATH"));
  EXPECT_THAT(CustomColumns::Parse("A:.a,B:.b[").error().message(),
              HasSubstr("column B: {.b[}: at 4: a bracket is not closed"));
  EXPECT_THAT(CustomColumns::Parse("A:").error().message(), HasSubstr("column A: a path is empty"));
  const CustomColumns columns = CustomColumns::Parse("A:.spec.containers[9]").OrExit();
  EXPECT_THAT(columns.Cells(Pod()).error().message(),
              HasSubstr("column A: array index out of bounds"));
}

}  // namespace
}  // namespace kinformer::cli
