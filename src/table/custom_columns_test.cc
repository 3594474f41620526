#include "table/custom_columns.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kinformer::internal::table {
namespace {

using Cells = std::vector<std::string>;

constexpr char kDefinition[] = R"({"spec": {"versions": [
  {"name": "v1", "additionalPrinterColumns": [
    {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
    {"name": "Ready", "type": "string",
     "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"},
    {"name": "Hosts", "type": "string", "jsonPath": ".spec.hosts[*]"},
    {"name": "On", "type": "boolean", "jsonPath": ".spec.on", "priority": 1},
    {"name": "Since", "type": "date", "jsonPath": ".metadata.creationTimestamp"}]},
  {"name": "v2"}]}})";

constexpr char kObject[] = R"({
  "metadata": {"name": "x", "creationTimestamp": "2001-09-09T01:46:40Z"},
  "spec": {"size": 3, "on": true, "hosts": ["a", "b"]},
  "status": {"conditions": [{"type": "Ready", "status": "True"}]}})";

const WallTime kNow{std::chrono::seconds(1'000'000'100)};

TEST(CustomColumns, AreThoseOfTheDefinition) {
  const json::Value definition = json::Parse(kDefinition).OrExit();
  const json::Value object = json::Parse(kObject).OrExit();
  const Columns columns = CustomColumns(definition, "v1");
  EXPECT_EQ(TitlesOf(columns, false), (Cells{"NAME", "SIZE", "READY", "HOSTS", "SINCE"}));
  EXPECT_EQ(CellsOf(columns, object, false, kNow), (Cells{"x", "3", "True", "a b", "100s"}));
  EXPECT_EQ(CellsOf(columns, object, true, kNow), (Cells{"x", "3", "True", "a b", "true", "100s"}));
}

TEST(CustomColumns, ValuesThatAreMissingOrOfAnotherTypeAreEmpty) {
  const json::Value definition = json::Parse(kDefinition).OrExit();
  const json::Value object =
      json::Parse(R"({"metadata":{"name":"x"},"spec":{"size":"big","on":1}})").OrExit();
  EXPECT_EQ(CellsOf(CustomColumns(definition, "v1"), object, true, kNow),
            (Cells{"x", "", "", "", "", ""}));
}

TEST(CustomColumns, PathsAreThoseOfJSONPath) {
  const json::Value object = json::Parse(R"({"metadata":{"name":"x"},"spec":{"size":3,
      "a.b":"dot","hosts":["a","b","c"],"deep":{"size":4}}})")
                                 .OrExit();
  const struct {
    const char* path;
    const char* cell;
  } kCases[] = {
      {"spec.size", ""},       {"$.spec.size", "3"},     {R"(.spec.a\.b)", "dot"},
      {".spec['a.b']", "dot"}, {".spec.hosts[-1]", "c"}, {".spec.hosts[0:2]", "a b"},
      {"..size", "3 4"},       {".spec.hosts[9]", ""},   {".spec.hosts[", ""},
      {".nothing.at.all", ""}, {"{.spec.size}", ""},     {".spec.hosts[?(nonsense)]", ""},
  };
  for (const auto& c : kCases) {
    json::Value column = json::Value::MakeObject();
    column.Set("name", "Column");
    column.Set("type", "string");
    column.Set("jsonPath", c.path);
    json::Value version = json::Value::MakeObject();
    version.Ensure("additionalPrinterColumns").Append(column);
    EXPECT_EQ(CellsOf(CustomColumns(version), object, false, kNow), (Cells{"x", c.cell})) << c.path;
  }
}

TEST(CustomColumns, WithoutAnyNameAndAge) {
  const json::Value definition = json::Parse(kDefinition).OrExit();
  const json::Value object = json::Parse(kObject).OrExit();
  for (const char* version : {"v2", "v3"}) {
    const Columns columns = CustomColumns(definition, version);
    EXPECT_EQ(TitlesOf(columns, true), (Cells{"NAME", "AGE"}));
    EXPECT_EQ(CellsOf(columns, object, true, kNow), (Cells{"x", "100s"}));
  }
}

}  // namespace
}  // namespace kinformer::internal::table
