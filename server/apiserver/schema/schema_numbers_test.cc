// Validation of single values: numbers, texts and their formats, nulls and combinations.

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/schema/schema_validation.h"

namespace kinformer::apiserver {
namespace {

struct Row {
  std::string_view schema;
  std::string_view value;
  std::vector<std::string> problems;
};

// Validates the member "v" of an object. Returns "field: message" of each cause, without the text
// that all of them have.
std::vector<std::string> Problems(std::string_view schema, std::string_view value) {
  const StructuralSchema parsed(
      yaml::Parse("{type: object, properties: {v: " + std::string(schema) + "}}").OrExit());
  const json::Value object = json::Parse("{\"v\":" + std::string(value) + "}").OrExit();
  std::vector<std::string> out;
  for (const StatusCause& cause : ValidateObject(parsed.root(), object, nullptr)) {
    std::string text = cause.field + ": " + cause.message;
    constexpr std::string_view kInvalid = "v: Invalid value: ";
    if (text.starts_with(kInvalid)) text.erase(0, kInvalid.size());
    constexpr std::string_view kInBody = "v in body ";
    if (const std::size_t at = text.find(kInBody); at != std::string::npos) {
      text.erase(at, kInBody.size());
    }
    out.push_back(text);
  }
  return out;
}

void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    EXPECT_EQ(Problems(row.schema, row.value), row.problems) << row.schema << " " << row.value;
  }
}

std::string Range(std::string_view type, std::string_view format) {
  return "<nil>: Invalid value: \"\": Checked value must be of type " + std::string(type) +
         (format.empty() ? " (default format)" : " with format " + std::string(format)) + " in v";
}

TEST(SchemaNumbers, Bounds_AreInclusiveUnlessTheSchemaSaysOtherwise) {
  Check({
      {"{type: integer, minimum: 2}", "2", {}},
      {"{type: integer, minimum: 2}", "1", {"1: should be greater than or equal to 2"}},
      {"{type: integer, maximum: 2}", "2", {}},
      {"{type: integer, maximum: 2}", "3", {"3: should be less than or equal to 2"}},
      {"{type: integer, minimum: 2, exclusiveMinimum: true}", "3", {}},
      {"{type: integer, minimum: 2, exclusiveMinimum: true}", "2", {"2: should be greater than 2"}},
      {"{type: integer, maximum: 2, exclusiveMaximum: true}", "1", {}},
      {"{type: integer, maximum: 2, exclusiveMaximum: true}", "2", {"2: should be less than 2"}},
      {"{type: number, minimum: 0.5}", "0.5", {}},
      {"{type: number, minimum: 0.5}", "0.25", {"0.25: should be greater than or equal to 0.5"}},
      {"{type: number, maximum: 0.5}", "0.75", {"0.75: should be less than or equal to 0.5"}},
      // Whole numbers are compared with bounds without their fraction.
      {"{type: number, minimum: 1.5}", "1", {}},
      {"{type: number, minimum: 1.5}", "0", {"0: should be greater than or equal to 1.5"}},
      {"{type: number, maximum: -1.5}", "-1", {}},
      {"{type: number, maximum: 1.5}", "2", {"2: should be less than or equal to 1.5"}},
      {"{type: number, minimum: 1000000000000000}",
       "0",
       {"0: should be greater than or equal to 1e+15"}},
      {"{type: number, minimum: 999999999999999}",
       "0",
       {"0: should be greater than or equal to 999999999999999"}},
      {"{type: integer, minimum: -5}", "-6", {"-6: should be greater than or equal to -5"}},
      {"{type: number, maximum: 1e-7}", "1e20", {"1e+20: should be less than or equal to 1e-07"}},
  });
}

TEST(SchemaNumbers, Multiples_AreCheckedWithTolerance) {
  Check({
      {"{type: integer, multipleOf: 3}", "9", {}},
      {"{type: integer, multipleOf: 3}", "0", {}},
      {"{type: integer, multipleOf: 3}", "-6", {}},
      {"{type: integer, multipleOf: 3}", "10", {"10: should be a multiple of 3"}},
      {"{type: integer, multipleOf: 3}", "2", {"2: should be a multiple of 3"}},
      {"{type: integer, multipleOf: 1}", "2", {}},
      {"{type: integer, multipleOf: 5}", "2147483648", {"2147483648: should be a multiple of 5"}},
      {"{type: number, multipleOf: 1}", "2.5", {"2.5: should be a multiple of 1"}},
      {"{type: number, multipleOf: 0.01}", "0.07", {}},
      {"{type: number, multipleOf: 0.01}", "4.35", {}},
      {"{type: number, multipleOf: 0.01}", "0.075", {"0.075: should be a multiple of 0.01"}},
      {"{type: number, multipleOf: 0.1}", "1e9", {}},
      {"{type: integer, multipleOf: 0}", "5", {}},
  });
}

TEST(SchemaNumbers, Integers_FitTheirFormat) {
  const std::string number = R"("number": must be of type integer: "number")";
  Check({
      {"{type: integer}", "9223372036854775807", {}},
      {"{type: integer}", "-9223372036854775808", {}},
      {"{type: integer}", "1.0", {}},
      {"{type: integer}", "1e18", {}},
      {"{type: integer}", "1.5", {number, Range("integer", "")}},
      {"{type: integer}", "1e19", {number, Range("integer", "")}},
      {"{type: integer, format: int32}", "2147483647", {}},
      {"{type: integer, format: int32}", "-2147483648", {}},
      {"{type: integer, format: int32}", "2147483648", {Range("integer", "int32")}},
      {"{type: integer, format: int32}", "-2147483649", {Range("integer", "int32")}},
      {"{type: integer, format: int64}", "2147483648", {}},
      {"{type: integer, format: int64}",
       "1e19",
       {R"("float64": must be of type int64: "float64")", Range("integer", "int64")}},
      {"{type: number, format: float}", "3.4028234663852886e38", {}},
      {"{type: number, format: float}", "-4e38", {Range("number", "float")}},
      {"{type: number, format: double}", "4e38", {}},
      {"{type: number}", "1", {}},
  });
}

TEST(SchemaNumbers, BoundsBeyondTheFormat_RefuseEveryValue) {
  const auto beyond = [](std::string_view what, std::string_view format) {
    std::string text = Range("integer", format);
    return text.replace(text.find("Checked"), 7, what);
  };
  const std::string maximum = beyond("Maximum boundary", "int32");
  const std::string minimum = beyond("Minimum boundary", "");
  Check({
      {"{type: integer, format: int32, maximum: 4294967295}", "1", {maximum}},
      {"{type: integer, format: int32, maximum: 4294967295}",
       "4294967296",
       {Range("integer", "int32"), maximum,
        "4.294967296e+09: should be less than or equal to 4.294967295e+09"}},
      {"{type: integer, minimum: 1.5}", "2", {minimum}},
      {"{type: integer, minimum: 1.5}",
       "1",
       {minimum, "1: should be greater than or equal to 1.5"}},
      {"{type: integer, maximum: 9223372036854775807}", "1", {beyond("Maximum boundary", "")}},
      {"{type: integer, minimum: -9223372036854775808}", "1", {minimum}},
      {"{type: integer, multipleOf: 1.5}", "3", {beyond("MultipleOf", "")}},
      {"{type: integer, multipleOf: 1.5}",
       "2",
       {beyond("MultipleOf", ""), "2: should be a multiple of 1.5"}},
      {"{type: integer, format: int32, multipleOf: 4294967295, minimum: -4294967295}",
       "5",
       {beyond("MultipleOf", "int32"), "5: should be a multiple of 4.294967295e+09",
        beyond("Minimum boundary", "int32")}},
      {"{type: number, format: float, maximum: 4.0e+38}",
       "1",
       {"<nil>: Invalid value: \"\": Maximum boundary value must be of type number with format "
        "float in v"}},
      {"{type: integer, format: int64, maximum: 4294967295}", "1", {}},
  });
}

TEST(SchemaNumbers, Texts_HaveLengthsInCharacters) {
  Check({
      {"{type: string, maxLength: 2}", "\"éé\"", {}},
      {"{type: string, maxLength: 2}", "\"abc\"", {"v: Too long: may not be more than 2 bytes"}},
      {"{type: string, maxLength: 1}", "\"ab\"", {"v: Too long: may not be more than 1 byte"}},
      {"{type: string, maxLength: 0}", "\"a\"", {"v: Too long: may not be more than 0 bytes"}},
      {"{type: string, minLength: 2}", "\"éé\"", {}},
      {"{type: string, minLength: 2}", "\"é\"", {"\"é\": should be at least 2 chars long"}},
      {"{type: string, minLength: 3, maxLength: 2}",
       "\"abc\"",
       {"v: Too long: may not be more than 2 bytes"}},
      {"{type: string, minLength: 3, pattern: b}",
       "\"a\"",
       {"\"a\": should be at least 3 chars long"}},
      {"{type: string, pattern: b}", "\"abc\"", {}},
      {"{type: string, pattern: b}", "\"a\\\"\"", {R"("a\"": should match 'b')"}},
      {"{type: string, pattern: b, format: date}",
       "\"a\"",
       {R"("a": should match 'b')", R"("a": must be of type date: "a")"}},
      {"{type: string, format: date}", "\"2020-02-29\"", {}},
  });
}

TEST(SchemaNumbers, Nulls_HaveATypeAndAnEnumeration) {
  Check({
      {"{type: string, nullable: true}", "null", {}},
      {"{type: string, nullable: true, minLength: 9, enum: [null]}", "null", {}},
      {"{type: string, nullable: true, enum: [a]}",
       "null",
       {"v: Unsupported value: null: supported values: \"a\""}},
      // A member whose null is forbidden has been removed before, so lists show it.
      {"{type: array, items: {type: string}}",
       "[null]",
       {R"(v[0]: Invalid value: "null": v[0] in body must be of type string: "null")"}},
      {"{type: array, items: {}}", "[null]", {}},
  });
}

TEST(SchemaNumbers, Types_AreNamed) {
  Check({
      {"{type: object}", "[]", {R"("array": must be of type object: "array")"}},
      {"{type: array}", "{}", {R"("object": must be of type array: "object")"}},
      {"{type: string}", "true", {R"("boolean": must be of type string: "boolean")"}},
      {"{type: integer}", "\"1\"", {R"("string": must be of type integer: "string")"}},
      {"{type: number}", "\"1\"", {R"("string": must be of type number: "string")"}},
      {"{type: boolean}", "1", {R"("integer": must be of type boolean: "integer")"}},
      {"{type: boolean}", "1.5", {R"("number": must be of type boolean: "number")"}},
      {"{type: boolean}", "true", {}},
      {"{}", "[1, {}]", {}},
      {"{x-kubernetes-int-or-string: true}", "1", {}},
      {"{x-kubernetes-int-or-string: true}", "\"a\"", {}},
      {"{x-kubernetes-int-or-string: true}",
       "true",
       {R"("boolean": must be of type integer,string: "boolean")"}},
      {"{x-kubernetes-int-or-string: true}",
       "1.5",
       {R"("number": must be of type integer,string: "number")"}},
      // The format of another type.
      {"{type: string, format: date}", "1.5", {R"("float64": must be of type date: "float64")"}},
      {"{type: string, format: date}", "1", {R"("int64": must be of type date: "int64")"}},
      {"{type: string, format: date}", "{}", {R"("": must be of type date: "")"}},
      {"{type: number, format: date}",
       "\"a\"",
       {R"("string": must be of type number: "string")", R"("a": must be of type date: "a")"}},
      {"{type: object, format: date}", "[]", {}},
      {"{type: boolean, format: unknown}",
       "1",
       {R"("integer": must be of type boolean: "integer")"}},
  });
}

TEST(SchemaNumbers, Enumerations_ShowTheirValues) {
  Check({
      {"{enum: [a, 1, 2.5, true]}", "\"a\"", {}},
      {"{enum: [a, 1, 2.5, true]}", "2.50", {}},
      {"{enum: [a, 1, 2.5, true]}",
       "\"b\"",
       {"v: Unsupported value: \"b\": supported values: \"a\", \"1\", \"2.5\", \"true\""}},
      {"{enum: [{z: 1, a: '<'}]}",
       R"({"z":"<","a":1})",
       {R"(v: Unsupported value: {"a":1,"z":"<"}: supported values: "{\"a\":\"<\",\"z\":1}")"}},
      {"{enum: [1]}", "1.5", {"v: Unsupported value: 1.5: supported values: \"1\""}},
  });
}

TEST(SchemaNumbers, Combinations_CountMatchingSchemas) {
  const std::string any =
      R"(<nil>: Invalid value: "": "v" must validate at least one schema (anyOf))";
  const std::string one =
      R"(<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found )";
  const std::string all = R"(<nil>: Invalid value: "": "v" must validate all the schemas (allOf))";
  Check({
      {"{anyOf: [{minimum: 5}, {maximum: 1}]}", "7", {}},
      {"{anyOf: [{minimum: 5}, {maximum: 1}]}", "0", {}},
      {"{anyOf: [{minimum: 5}, {maximum: 1}]}",
       "3",
       {any, "3: should be greater than or equal to 5"}},
      {"{oneOf: [{minimum: 5}, {maximum: 1}]}", "7", {}},
      {"{oneOf: [{minimum: 5}, {maximum: 1}]}",
       "3",
       {one + "none valid", "3: should be greater than or equal to 5"}},
      {"{oneOf: [{minimum: 5}, {minimum: 6}, {maximum: 1}]}", "7", {one + "2 valid alternatives"}},
      {"{allOf: [{minimum: 5}, {maximum: 9}]}", "7", {}},
      {"{allOf: [{minimum: 5}, {multipleOf: 2}]}",
       "3",
       {"3: should be greater than or equal to 5", "3: should be a multiple of 2", all}},
      {"{not: {minimum: 5}}", "3", {}},
      {"{not: {minimum: 5}}",
       "7",
       {R"(<nil>: Invalid value: "": "v" must not validate the schema (not))"}},
      // Nested ones: an enumeration inside of an alternative is only counted, not shown.
      {"{anyOf: [{anyOf: [{enum: [1]}]}, {enum: [2]}]}",
       "3",
       {any, any, "v: Unsupported value: 3: supported values: \"1\""}},
      {"{not: {anyOf: [{enum: [1]}, {enum: [2]}]}}", "3", {}},
      {"{not: {oneOf: [{enum: [1]}, {enum: [2]}]}}", "3", {}},
  });
}

TEST(SchemaNumbers, Quotes_AreThoseOfGo) {
  EXPECT_EQ(GoQuoted(""), "\"\"");
  EXPECT_EQ(GoQuoted("a b~"), "\"a b~\"");
  EXPECT_EQ(GoQuoted("\a\b\f\n\r\t\v\\\""), R"("\a\b\f\n\r\t\v\\\"")");
  EXPECT_EQ(GoQuoted(std::string_view("\0\x1f\x7f\x10", 4)), R"("\x00\x1f\x7f\x10")");
}

}  // namespace
}  // namespace kinformer::apiserver
