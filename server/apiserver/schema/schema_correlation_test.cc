#include "apiserver/schema/schema_correlation.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "kinformer/json/yaml.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kList =
    "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, p], items: {type: "
    "object, properties: {k: {type: string}, p: {type: integer}, v: {type: string}}}}";

StructuralSchema SchemaOf(std::string_view text) {
  return StructuralSchema(yaml::Parse(text).OrExit());
}

json::Value Parsed(std::string_view text) { return json::Parse(text).OrExit(); }

TEST(Correlation, Key_HasAllPartsAsPlainValues) {
  const StructuralSchema schema = SchemaOf(kList);
  const auto key = [&](std::string_view item) {
    return CorrelationKey(schema.root(), Parsed(item)).value_or("none");
  };
  EXPECT_EQ(key(R"({"k":"a","p":1,"v":"x"})"), "\"a\"/1/");
  EXPECT_EQ(key(R"({"p":1.0,"k":"a"})"), key(R"({"k":"a","p":1})"));
  EXPECT_EQ(key(R"({"k":true,"p":false})"), "true/false/");
  EXPECT_NE(key(R"({"k":"1","p":1})"), key(R"({"k":1,"p":1})"));
  for (const char* item : {R"({"k":"a"})", R"({"p":1})", "{}", "7", "null", R"({"k":"a","p":null})",
                           R"({"k":"a","p":1.5})", R"({"k":[],"p":1})", R"({"k":{},"p":1})"}) {
    EXPECT_EQ(key(item), "none") << item;
  }
}

TEST(Correlation, Items_AreKnownByTheFirstOfEachKey) {
  const StructuralSchema schema = SchemaOf(kList);
  const json::Value list =
      Parsed(R"([{"k":"a","p":1,"v":"x"},{"k":"b"},{"k":"a","p":1,"v":"y"},{"k":"a","p":2}])");
  const CorrelatedItems items = Correlate(schema.root(), list);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items.at("\"a\"/1/"), &list[0]);
  EXPECT_EQ(items.at("\"a\"/2/"), &list[3]);
  EXPECT_TRUE(Correlate(schema.root(), json::Value()).empty());
}

TEST(Correlation, Values_AreUnchangedIfTheirPartsAre) {
  struct Row {
    std::string_view schema;
    const char* value;
    const char* old;
    bool unchanged;
  };
  constexpr std::string_view kObject =
      "{type: object, properties: {a: {type: string}, b: {type: object, properties: {c: {}}}}}";
  constexpr std::string_view kAtomic = "{type: array, items: {type: object}}";
  constexpr std::string_view kNoItems = "{type: array, x-kubernetes-list-type: map}";
  for (const Row& row : {
           Row{"{}", "1", "1", true},
           Row{"{}", "1", "2", false},
           Row{"{}", "\"a\"", "null", false},
           Row{"{}", "[]", "{}", false},
           Row{kObject, "{}", "{}", true},
           Row{kObject, "{}", "1", false},
           Row{kObject, "1", "{}", false},
           Row{kObject, R"({"a":"x"})", R"({"a":"x"})", true},
           Row{kObject, R"({"a":"x"})", R"({"a":"y"})", false},
           Row{kObject, R"({"a":"x"})", "{}", false},
           Row{kObject, "{}", R"({"a":"x"})", false},
           Row{kObject, R"({"a":"x"})", R"({"b":{}})", false},
           Row{kObject, R"({"a":"x","b":{"c":1}})", R"({"b":{"c":1},"a":"x"})", true},
           Row{kObject, R"({"a":"x","b":{"c":1}})", R"({"b":{"c":2},"a":"x"})", false},
           Row{kObject, R"({"u":1})", R"({"u":1})", false},  // unknown to the schema
           Row{kList, "[]", "[]", true},
           Row{kList, "[]", "null", false},
           Row{kList, R"([{"k":"a","p":1}])", R"([{"k":"a","p":1}])", true},
           Row{kList, R"([{"k":"a","p":1}])", R"([{"k":"a","p":2}])", false},
           Row{kList, R"([{"k":"a","p":1},{"k":"b","p":1,"v":"x"}])",
               R"([{"k":"b","p":1,"v":"x"},{"k":"a","p":1}])", true},
           Row{kList, R"([{"k":"b","p":1,"v":"x"}])", R"([{"k":"b","p":1,"v":"y"}])", false},
           Row{kList, R"([{"k":"a","p":1}])", R"([{"k":"a","p":1},{"k":"b","p":1}])", false},
           Row{kList, R"([{"k":"a"}])", R"([{"k":"a"}])", false},  // no identity
           Row{kAtomic, R"([{"u":1}])", R"([{"u":1}])", true},
           Row{kAtomic, R"([{"u":1},2])", R"([2,{"u":1}])", false},
           Row{kNoItems, R"([{"u":1}])", R"([{"u":1}])", true},
           Row{kNoItems, R"([{"u":1}])", R"([{"u":2}])", false},
       }) {
    EXPECT_EQ(IsUnchanged(SchemaOf(row.schema).root(), Parsed(row.value), Parsed(row.old)),
              row.unchanged)
        << row.schema << row.value << row.old;
  }
}

}  // namespace
}  // namespace kinformer::apiserver
