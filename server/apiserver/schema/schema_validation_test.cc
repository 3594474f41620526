#include "apiserver/schema/schema_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/schema/schema_fields.h"

namespace kinformer::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The messages are those of a real API server, for the same schema and objects.
constexpr std::string_view kSchema = R"(
type: object
properties:
  spec:
    type: object
    properties:
      s: {type: string, minLength: 2, maxLength: 4, pattern: '^[a-z]+$'}
      one: {type: string, maxLength: 1}
      e: {type: string, enum: [a, b]}
      ei: {type: integer, enum: [1, 2]}
      i: {type: integer, minimum: 1, maximum: 5}
      i32: {type: integer, format: int32}
      f: {type: number, minimum: 0.5, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: true}
      ff: {type: number, format: float}
      m: {type: integer, multipleOf: 3}
      mf: {type: number, multipleOf: 0.1}
      r: {type: integer, maximum: 2, multipleOf: 7}
      b: {type: boolean}
      nn: {type: string, nullable: true}
      arr: {type: array, minItems: 1, maxItems: 2, items: {type: string, minLength: 2}}
      set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      map:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [k, p]
        items:
          type: object
          required: [k]
          properties: {k: {type: string}, p: {type: integer, default: 8},
                       v: {type: string, maxLength: 2}}
      o:
        type: object
        required: [x, yy]
        properties: {x: {type: string},
                     yy: {type: object, required: [z], properties: {z: {type: integer}}}}
      mp: {type: object, minProperties: 1, maxProperties: 2,
           additionalProperties: {type: integer, minimum: 1}}
      ios: {x-kubernetes-int-or-string: true}
      iosa:
        x-kubernetes-int-or-string: true
        anyOf: [{type: integer}, {type: string}]
        pattern: '^[0-9]+%$'
      any: {x-kubernetes-preserve-unknown-fields: true}
      emb:
        type: object
        x-kubernetes-embedded-resource: true
        properties: {spec: {type: object, properties: {q: {type: integer}}}}
      sealed: {type: object, additionalProperties: false}
      low: {type: number, minimum: 0.1}
      dt: {type: string, format: date-time}
      odd: {type: string, format: odd}
      allOf: {type: integer, allOf: [{minimum: 2}, {maximum: 3}]}
      anyOf: {type: string, anyOf: [{minLength: 5}, {enum: [a]}]}
      oneOf:
        type: object
        properties: {p: {type: string}, q: {type: string}}
        oneOf: [{required: [p]}, {required: [q]}]
      not: {type: string, not: {enum: ['no']}}
)";

const StructuralSchema& Schema() {
  static const StructuralSchema schema(yaml::Parse(kSchema).OrExit());
  return schema;
}

json::Value ObjectOf(std::string_view spec) {
  json::Value object = json::Value::MakeObject({{"metadata", json::Value::MakeObject()}});
  object.Ensure("spec") = yaml::Parse(spec).OrExit();
  (void)ApplyDefaults(Schema().root(), object);
  return object;
}

std::vector<std::string> Texts(const std::vector<StatusCause>& causes) {
  std::vector<std::string> texts;
  for (const StatusCause& cause : causes) texts.push_back(cause.field + ": " + cause.message);
  return texts;
}

std::vector<std::string> Problems(std::string_view spec) {
  return Texts(ValidateObject(Schema().root(), ObjectOf(spec), nullptr));
}

TEST(SchemaValidation, Errors_AreThoseOfARealServer_SRV194) {
  struct Case {
    const char* spec;
    std::vector<std::string> problems;
  };
  const std::vector<Case> cases = {
      {"{s: a}", {R"(spec.s: Invalid value: "a": spec.s in body should be at least 2 chars long)"}},
      {"{s: abcdef}", {"spec.s: Too long: may not be more than 4 bytes"}},
      {"{one: ab}", {"spec.one: Too long: may not be more than 1 byte"}},
      {"{s: AB}", {R"(spec.s: Invalid value: "AB": spec.s in body should match '^[a-z]+$')"}},
      {"{s: A}", {R"(spec.s: Invalid value: "A": spec.s in body should be at least 2 chars long)"}},
      {"{s: éé}", {R"(spec.s: Invalid value: "éé": spec.s in body should match '^[a-z]+$')"}},
      {"{s: 1}",
       {R"(spec.s: Invalid value: "integer": spec.s in body must be of type string: "integer")"}},
      {"{s: {a: 1}}",
       {R"(spec.s: Invalid value: "object": spec.s in body must be of type string: "object")"}},
      {"{e: c}", {R"(spec.e: Unsupported value: "c": supported values: "a", "b")"}},
      {"{ei: 3}", {R"(spec.ei: Unsupported value: 3: supported values: "1", "2")"}},
      {"{e: 1}",
       {R"(spec.e: Invalid value: "integer": spec.e in body must be of type string: "integer")",
        R"(spec.e: Unsupported value: 1: supported values: "a", "b")"}},
      {"{i: 0}", {"spec.i: Invalid value: 0: spec.i in body should be greater than or equal to 1"}},
      {"{i: 6}", {"spec.i: Invalid value: 6: spec.i in body should be less than or equal to 5"}},
      {"{i: 1e3}",
       {"spec.i: Invalid value: 1000: spec.i in body should be less than or equal to 5"}},
      {"{i: 1.5}",
       {R"(spec.i: Invalid value: "number": spec.i in body must be of type integer: "number")",
        R"(<nil>: Invalid value: "": Checked value must be of type integer (default format) )"
        R"(in spec.i)"}},
      {"{i: 2.0}", {}},
      {"{i32: 3000000000}",
       {R"(<nil>: Invalid value: "": Checked value must be of type integer with format int32 )"
        R"(in spec.i32)"}},
      {"{i32: -2147483648}", {}},
      {"{f: 0.5}", {"spec.f: Invalid value: 0.5: spec.f in body should be greater than 0.5"}},
      {"{f: 2}", {"spec.f: Invalid value: 2: spec.f in body should be less than 2"}},
      {"{f: 1}", {}},
      {"{ff: 1e300}",
       {R"(<nil>: Invalid value: "": Checked value must be of type number with format float )"
        R"(in spec.ff)"}},
      {"{m: 4}", {"spec.m: Invalid value: 4: spec.m in body should be a multiple of 3"}},
      {"{mf: 0.25}", {"spec.mf: Invalid value: 0.25: spec.mf in body should be a multiple of 0.1"}},
      {"{mf: 0.3}", {}},
      {"{r: 5}",
       {"spec.r: Invalid value: 5: spec.r in body should be a multiple of 7",
        "spec.r: Invalid value: 5: spec.r in body should be less than or equal to 2"}},
      {"{b: 'yes'}",
       {R"(spec.b: Invalid value: "string": spec.b in body must be of type boolean: "string")"}},
      {"{nn: null, o: null}", {}},
      {"{arr: []}", {"spec.arr: Invalid value: 0: spec.arr in body should have at least 1 items"}},
      {"{arr: [aa, bb, cc]}", {"spec.arr: Too many: 3: must have at most 2 items"}},
      {"{arr: [1, bb]}",
       {R"(spec.arr[0]: Invalid value: "integer": spec.arr[0] in body must be of type string: )"
        R"("integer")"}},
      {"{arr: [null]}",
       {R"(spec.arr[0]: Invalid value: "null": spec.arr[0] in body must be of type string: )"
        R"("null")"}},
      {"{arr: x}",
       {R"(spec.arr: Invalid value: "string": spec.arr in body must be of type array: "string")"}},
      {"{set: [a, b, a, a]}", {R"(spec.set[2]: Duplicate value: "a")"}},
      {"{map: [{k: a}, {k: a, p: 8}, {k: b}]}",
       {R"(spec.map[1]: Duplicate value: {"k":"a","p":8})"}},
      {"{map: [{k: a}, {k: a, p: 9}]}", {}},
      {"{map: [{k: a, v: xxx}, {v: x}]}",
       {"spec.map[0].v: Too long: may not be more than 2 bytes", "spec.map[1].k: Required value"}},
      {"{o: {}}", {"spec.o.x: Required value", "spec.o.yy: Required value"}},
      {"{o: {x: null, yy: {}}}", {"spec.o.yy.z: Required value", "spec.o.x: Required value"}},
      {"{mp: {}}",
       {"spec.mp: Invalid value: 0: spec.mp in body should have at least 1 properties"}},
      {"{mp: {a: 1, b: 2, c: 3}}", {"spec.mp: Too many: 3: must have at most 2 items"}},
      {"{mp: {a.b: 0}}",
       {"spec.mp.a.b: Invalid value: 0: spec.mp.a.b in body should be greater than or equal to 1"}},
      {"{ios: '1'}", {}},
      {"{ios: 1.5}",
       {R"(spec.ios: Invalid value: "number": spec.ios in body must be of type integer,)"
        R"(string: "number")"}},
      {"{iosa: x}",
       {R"(spec.iosa: Invalid value: "x": spec.iosa in body should match '^[0-9]+%$')"}},
      {"{iosa: 3}", {}},
      {"{iosa: true}",
       {R"(spec.iosa: Invalid value: "boolean": spec.iosa in body must be of type integer,)"
        R"(string: "boolean")",
        R"(<nil>: Invalid value: "": "spec.iosa" must validate at least one schema (anyOf))",
        R"(spec.iosa: Invalid value: "boolean": spec.iosa in body must be of type integer: )"
        R"("boolean")"}},
      {"{any: {x: [1, {yy: null}]}}", {}},
      {"{emb: {metadata: {name: x}}}",
       {"spec.emb.apiVersion: Required value", "spec.emb.kind: Required value"}},
      {"{emb: {apiVersion: v1, kind: Pod, metadata: {name: A_}}}", {}},
      {"{emb: {apiVersion: a/b/c, kind: Pod}}",
       {R"(spec.emb.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c)"}},
      {"{dt: x}",
       {R"(spec.dt: Invalid value: "x": spec.dt in body must be of type date-time: "x")"}},
      {"{odd: x}", {}},
      {"{sealed: {a: 1}}",
       {R"(spec.sealed: Invalid value: "a": spec.sealed.a in body is a forbidden property)"}},
      {"{low: 0}", {}},
      {"{low: 0.01}",
       {"spec.low: Invalid value: 0.01: spec.low in body should be greater than or equal to 0.1"}},
      {"{allOf: 1}",
       {"spec.allOf: Invalid value: 1: spec.allOf in body should be greater than or equal to 2",
        R"(<nil>: Invalid value: "": "spec.allOf" must validate all the schemas (allOf))"}},
      {"{anyOf: b}",
       {R"(<nil>: Invalid value: "": "spec.anyOf" must validate at least one schema (anyOf))",
        R"(spec.anyOf: Invalid value: "b": spec.anyOf in body should be at least 5 chars long)"}},
      {"{oneOf: {}}",
       {R"(<nil>: Invalid value: "": "spec.oneOf" must validate one and only one schema )"
        R"((oneOf). Found none valid)",
        "spec.oneOf.p: Required value"}},
      {"{oneOf: {p: a, q: b}}",
       {R"(<nil>: Invalid value: "": "spec.oneOf" must validate one and only one schema )"
        R"((oneOf). Found 2 valid alternatives)"}},
      {"{not: 'no'}",
       {R"(<nil>: Invalid value: "": "spec.not" must not validate the schema (not))"}},
  };
  for (const Case& c : cases) EXPECT_EQ(Problems(c.spec), c.problems) << c.spec;
}

TEST(SchemaValidation, CausesHaveTheirReasons) {
  const auto reason = [](std::string_view spec) {
    return ValidateObject(Schema().root(), ObjectOf(spec), nullptr).at(0).reason;
  };
  EXPECT_EQ(reason("{s: 1}"), "FieldValueTypeInvalid");
  EXPECT_EQ(reason("{dt: x}"), "FieldValueTypeInvalid");
  EXPECT_EQ(reason("{s: a}"), "FieldValueInvalid");
  EXPECT_EQ(reason("{s: abcde}"), "FieldValueTooLong");
  EXPECT_EQ(reason("{arr: [aa, bb, cc]}"), "FieldValueTooMany");
  EXPECT_EQ(reason("{set: [a, a]}"), "FieldValueDuplicate");
  EXPECT_EQ(reason("{e: z}"), "FieldValueNotSupported");
  EXPECT_EQ(reason("{o: {}}"), "FieldValueRequired");
}

TEST(SchemaValidation, UnchangedInvalidValues_AreAccepted) {
  const auto problems = [](std::string_view old, std::string_view now) {
    const json::Value before = ObjectOf(old);
    return Texts(ValidateObject(Schema().root(), ObjectOf(now), &before));
  };
  EXPECT_THAT(problems("{e: z, i: 1}", "{e: z, i: 2}"), IsEmpty());
  EXPECT_THAT(problems("{e: z}", "{e: 'y'}"),
              ElementsAre(R"(spec.e: Unsupported value: "y": supported values: "a", "b")"));
  EXPECT_THAT(problems("{map: [{k: a, v: xxx}]}", "{map: [{k: b}, {k: a, v: xxx}]}"), IsEmpty());
  EXPECT_THAT(problems("{arr: [a, bb]}", "{arr: [a, cc]}").size(), 1U)
      << "items without keys cannot be told apart";
}

// As on a real server, the format is checked before the type.
TEST(SchemaValidation, Formats_AreCheckedBeforeTypes) {
  EXPECT_THAT(Problems("{dt: 1}"),
              ElementsAre(R"(spec.dt: Invalid value: "int64": spec.dt in body must be of type )"
                          R"(date-time: "int64")"));
  EXPECT_THAT(Problems("{dt: true}"),
              ElementsAre(R"(spec.dt: Invalid value: "": spec.dt in body must be of type )"
                          R"(date-time: "")"));
  EXPECT_THAT(Problems("{dt: [1, x]}"), IsEmpty());
  EXPECT_THAT(Problems("{i32: x}"),
              ElementsAre(R"(spec.i32: Invalid value: "string": spec.i32 in body must be of type )"
                          R"(integer: "string")"));
  EXPECT_EQ(Problems("{odd: [1]}").size(), 1U) << "a format that is not known says nothing";
}

TEST(SchemaValidation, Hostnames_AreThoseOfARealServer) {
  const StructuralSchema schema(yaml::Parse("{type: string, format: hostname}").OrExit());
  const auto fits = [&](std::string_view text) {
    return ValidateObject(schema.root(), json::Value(text), nullptr).empty();
  };
  for (const char* good : {"a", "abc", "a-b", "my-host.example.com", "1.example", "\u00fc.de"}) {
    EXPECT_TRUE(fits(good)) << good;
  }
  for (const char* bad : {"x.y", "my-host", "", "a.com.", "-a.com", "a..com", "a_b.com"}) {
    EXPECT_FALSE(fits(bad)) << bad;
  }
  EXPECT_FALSE(fits(std::string(64, 'a') + ".com"));
}

TEST(SchemaValidation, KeyedLists_HoldObjects) {
  EXPECT_THAT(
      Problems("{map: [7, 7]}"),
      ::testing::Contains(
          "spec.map[0]: Invalid value: 7: must be an object for an array of list-type map"));
  EXPECT_THAT(Problems("{map: [7, 7]}"),
              ::testing::Not(::testing::Contains(::testing::HasSubstr("Duplicate value"))));
}

// Items without keys always count as changed.
TEST(SchemaValidation, KeyedLists_WithItemsThatLackKeysAreLookedAtAgain) {
  const json::Value before = ObjectOf("{map: [7], e: z, i: 1}");
  EXPECT_THAT(Texts(ValidateObject(Schema().root(), ObjectOf("{map: [7], e: z, i: 2}"), &before)),
              ElementsAre(R"(spec.map[0]: Invalid value: "integer": spec.map[0] in body must be )"
                          R"(of type object: "integer")"));
}

TEST(SchemaValidation, Statuses_AreLookedAtByThemselves) {
  const StructuralSchema schema(
      yaml::Parse("{type: object, properties: {spec: {type: string}, status: {type: object, "
                  "properties: {m: {type: string, not: {enum: [x]}}, i: {type: integer}}}}}")
          .OrExit());
  const auto problems = [&](std::string_view object, std::string_view old) {
    return Texts(
        ValidateStatus(schema.root(), yaml::Parse(object).OrExit(), yaml::Parse(old).OrExit()));
  };
  EXPECT_THAT(problems("{spec: 1, status: {m: x}}", "{spec: 1}"),
              ElementsAre(R"(status: Invalid value: "": "m" must not validate the schema (not))"));
  EXPECT_THAT(problems("{status: {i: x}}", "{}"),
              ElementsAre(R"(status.i: Invalid value: "string": i in body must be of type )"
                          R"(integer: "string")"));
  EXPECT_THAT(problems("{status: {i: x, m: z}}", "{status: {i: x}}"), IsEmpty());
}

TEST(SchemaValidation, HostileObjectsEndSoon) {
  json::Value object = ObjectOf("{}");
  json::Value items = json::Value::MakeArray();
  for (int i = 0; i < 100'000; ++i) items.Append(i % 10);
  object.Ensure("spec", "arr") = std::move(items);
  EXPECT_LE(ValidateObject(Schema().root(), object, nullptr).size(), 300U);
}

TEST(SchemaValidation, TextsAreQuotedAsInGo) {
  EXPECT_EQ(GoQuoted("a\"\n\u00e9\x01\\"), "\"a\\\"\\n\u00e9\\x01\\\\\"");
}

// Clients choose both lists. A linear search would take some minutes.
TEST(SchemaValidation, LongEnumsAreNotSearchedFromFrontToEnd) {
  json::Value schema = yaml::Parse("{type: array, items: {type: string, enum: []}}").OrExit();
  json::Value list = json::Value::MakeArray();
  for (int i = 0; i < 100'000; ++i) {
    schema.Ensure("items", "enum").Append("value-" + std::to_string(i));
    list.Append("value-" + std::to_string(99'999 - i));
  }
  EXPECT_THAT(ValidateObject(StructuralSchema(schema).root(), list, nullptr), IsEmpty());
}

TEST(SchemaValidation, Enums_CompareNumbersByValue) {
  const StructuralSchema schema(
      yaml::Parse("{enum: [1, 2.5, 'x', true, [1, {a: 1, b: 2}], null]}").OrExit());
  for (const char* good : {"1", "1.0", "1e0", "2.50", "\"x\"", "true", R"([1.0,{"b":2,"a":1}])"}) {
    EXPECT_THAT(ValidateObject(schema.root(), json::Parse(good).OrExit(), nullptr), IsEmpty())
        << good;
  }
  for (const char* bad : {"\"1\"", "2", "false", "[1]", R"({"a":1})"}) {
    EXPECT_FALSE(ValidateObject(schema.root(), json::Parse(bad).OrExit(), nullptr).empty()) << bad;
  }
}

// Each of 256 violations would repeat the allowed values, or a long field name.
TEST(SchemaValidation, TextOfViolationsIsBounded) {
  json::Value schema = yaml::Parse("{type: array, items: {type: string, enum: []}}").OrExit();
  json::Value list = json::Value::MakeArray();
  for (int i = 0; i < 10'000; ++i) {
    schema.Ensure("items", "enum").Append(std::string(100, 'x') + std::to_string(i));
    list.Append("y");
  }
  std::size_t bytes = 0;
  for (const StatusCause& cause : ValidateObject(StructuralSchema(schema).root(), list, nullptr)) {
    bytes += cause.message.size() + cause.field.size();
  }
  EXPECT_GT(bytes, 0U);
  EXPECT_LT(bytes, std::size_t{4} << 20);

  json::Value required =
      yaml::Parse("{type: object, additionalProperties: {type: object}}").OrExit();
  for (int i = 0; i < 10'000; ++i) {
    required.Ensure("additionalProperties", "required").Append("name-" + std::to_string(i));
  }
  const json::Value object =
      json::Value::MakeObject({{std::string(100'000, 'k'), json::Value::MakeObject()}});
  bytes = 0;
  for (const StatusCause& cause :
       ValidateObject(StructuralSchema(required).root(), object, nullptr)) {
    bytes += cause.message.size() + cause.field.size();
  }
  EXPECT_GT(bytes, 0U);
  EXPECT_LT(bytes, std::size_t{4} << 20);
}

}  // namespace
}  // namespace kinformer::apiserver
