#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "kinformer/json/yaml.h"

#include "apiserver/errors/status.h"
#include "apiserver/schema/schema_check.h"
#include "apiserver/schema/schema_fields.h"
#include "apiserver/schema/schema_validation.h"
#include "apiserver/schema/structural_schema.h"

namespace kinformer::apiserver {
namespace {

StructuralSchema SchemaOf(std::string_view text) {
  return StructuralSchema(yaml::Parse(text).OrExit());
}

// The texts of all causes have a limit together, whatever is tried in between.
TEST(SchemaLimits, TextsOfCauses_TakeOneMebibyte) {
  constexpr std::size_t kPart = kMaxCauseBytes / 8;
  const auto count = [](std::string_view item) {
    const StructuralSchema schema = SchemaOf(
        "{type: object, properties: {a: {type: array, items: " + std::string(item) + "}}}");
    json::Value list = json::Value::MakeArray();
    for (int i = 0; i < 12; ++i) list.Append(std::string(kPart, 'x'));
    const json::Value object = json::Value::MakeObject({{"a", std::move(list)}});
    return ValidateObject(schema.root(), object, nullptr).size();
  };
  EXPECT_EQ(count("{type: string, enum: [b]}"), 8U);
  EXPECT_EQ(count("{type: string, enum: [b], anyOf: [{minLength: 1}]}"), 8U);
  EXPECT_EQ(count("{type: string, enum: [b], not: {enum: [c]}}"), 8U);
  EXPECT_EQ(count("{type: string, enum: [b], oneOf: [{enum: [c]}, {minLength: 1}]}"), 8U);
  EXPECT_EQ(count("{type: string}"), 0U);
}

TEST(SchemaLimits, ProblemsOfJunctors_AreAtMostAsManyAsAStatusHolds) {
  for (const char* junctor : {"allOf", "anyOf", "oneOf"}) {
    json::Value schema = yaml::Parse("{type: object}").OrExit();
    json::Value each = json::Value::MakeArray();
    for (std::size_t i = 0; i < kMaxCauses + 20; ++i) {
      each.Append(json::Value::MakeObject({{"title", "x"}}));
    }
    schema.Set(junctor, std::move(each));
    EXPECT_EQ(CheckSchema(schema, "@").size(), kMaxCauses) << junctor;
  }
}

TEST(SchemaLimits, ListsWithKeys_HoldObjectsOnly) {
  const StructuralSchema schema = SchemaOf(
      "{type: object, properties: {m: {type: array, x-kubernetes-list-type: map, "
      "x-kubernetes-list-map-keys: [k], items: {x-kubernetes-preserve-unknown-fields: true}}}}");
  struct Row {
    std::string_view list;
    std::string_view problem;
  };
  for (const Row& row : {
           Row{"[]", ""},
           Row{"[{k: a}, {k: b}]", ""},
           Row{"[{k: a}, 1, x]",
               "m[1]: Invalid value: 1: must be an object for an array of list-type map"},
           Row{"[x]",
               "m[0]: Invalid value: \"x\": must be an object for an array of list-type map"},
           Row{"[{k: a}, {k: b}, {k: a}]", "m[2]: Duplicate value: {\"k\":\"a\"}"},
           Row{"[{k: a}, {k: a}, {k: a}]", "m[1]: Duplicate value: {\"k\":\"a\"}"},
       }) {
    std::string text;
    for (const StatusCause& cause : ValidateObject(
             schema.root(), json::Value::MakeObject({{"m", yaml::Parse(row.list).OrExit()}}),
             nullptr)) {
      text += (text.empty() ? "" : " ") + cause.field + ": " + cause.message;
    }
    EXPECT_EQ(text, row.problem) << row.list;
  }
}

TEST(SchemaLimits, EmbeddedObjectsInLists_HaveTypedMetadata) {
  const StructuralSchema schema = SchemaOf(
      "{type: object, properties: {l: {type: array, items: {type: object, "
      "x-kubernetes-embedded-resource: true}}}}");
  const auto error = [&](std::string_view object) {
    return MetadataTypeError(schema.root(), yaml::Parse(object).OrExit());
  };
  EXPECT_EQ(error("{l: [{metadata: {name: a}}]}"), "");
  EXPECT_EQ(error("{l: [{metadata: {name: 1}}]}").substr(0, 31), "l[0].metadata: Invalid value: {");
  EXPECT_EQ(error("{l: [{metadata: {}}, {metadata: {name: 1}}]}").substr(0, 31),
            "l[1].metadata: Invalid value: {");
}

}  // namespace
}  // namespace kinformer::apiserver
