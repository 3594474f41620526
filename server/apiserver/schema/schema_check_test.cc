#include "apiserver/schema/schema_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/schema/structural_schema.h"
#include "cel/regular_expression.h"

namespace kinformer::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Problems(const json::Value& schema) {
  std::vector<std::string> texts;
  for (const StatusCause& cause : CheckSchema(schema, "@")) {
    texts.push_back(cause.field + ": " + cause.message);
  }
  return texts;
}

// The messages are those of a real API server.
TEST(SchemaCheck, NonStructuralSchemas_AreRefused) {
  struct Case {
    const char* schema;
    std::vector<std::string> problems;
  };
  const std::vector<Case> cases = {
      {"{properties: {}}", {"@.type: Required value: must not be empty at the root"}},
      {"{type: string}", {R"(@.type: Invalid value: "string": must be object at the root)"}},
      {"{type: object, properties: {a: {}}}",
       {"@.properties[a].type: Required value: must not be empty for specified object fields"}},
      {"{type: object, properties: {a: {type: foo}}}",
       {R"(@.properties[a].type: Unsupported value: "foo": supported values: "array", )"
        R"("boolean", "integer", "number", "object", "string")"}},
      {"{type: object, properties: {a: {x-kubernetes-preserve-unknown-fields: true}}}", {}},
      {"{type: object, properties: {a: {type: array}}}",
       {"@.properties[a].items: Required value: must be specified"}},
      {"{type: object, properties: {a: {type: array, items: {}}}}",
       {"@.properties[a].items.type: Required value: must not be empty for specified array items"}},
      {"{type: object, properties: {a: {type: array, items: [{type: string}]}}}",
       {"@.properties[a].items: Forbidden: items must be a schema object and not an array"}},
      {"{type: object, properties: {a: {type: object, properties: {b: {type: string}}, "
       "additionalProperties: {type: string}}}}",
       {"@.properties[a].additionalProperties: Forbidden: additionalProperties and properties are "
        "mutual exclusive"}},
      {"{type: object, additionalProperties: {type: string}}",
       {"@.additionalProperties: Forbidden: must not be used at the root"}},
      {"{type: object, properties: {a: {type: array, uniqueItems: true, items: {type: string}}}}",
       {"@.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the "
        "runtime complexity becomes quadratic"}},
      {"{type: object, properties: {a: {type: string, allOf: [{type: string}]}}}",
       {"@.properties[a].allOf[0].type: Forbidden: must be empty to be structural"}},
      {"{type: object, properties: {a: {type: string, not: {default: x}}}}",
       {"@.properties[a].not.default: Forbidden: must be undefined to be structural"}},
      {"{type: object, properties: {a: {type: string, anyOf: [{description: x, title: y, nullable: "
       "true}]}}}",
       {"@.properties[a].anyOf[0].description: Forbidden: must be empty to be structural",
        "@.properties[a].anyOf[0].nullable: Forbidden: must be false to be structural",
        "@.properties[a].anyOf[0].title: Forbidden: must be empty to be structural"}},
      {"{type: object, properties: {a: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, "
       "{type: string}]}}}",
       {}},
      {"{type: object, properties: {a: {x-kubernetes-int-or-string: true, allOf: [{anyOf: [{type: "
       "integer}, {type: string}]}, {pattern: x}]}}}",
       {}},
      {"{type: object, properties: {a: {x-kubernetes-int-or-string: true, anyOf: [{type: "
       "integer}]}}}",
       {"@.properties[a].anyOf[0].type: Forbidden: must be empty to be structural"}},
      {"{type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true}}}",
       {"@.properties[a].properties: Required value: must not be empty if "
        "x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"}},
      {"{type: object, properties: {a: {type: object, x-kubernetes-preserve-unknown-fields: "
       "false}}}",
       {"@.properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true "
        "or undefined"}},
      {"{type: object, properties: {a: {type: string, pattern: 'a('}}}",
       {R"(@.properties[a].pattern: Invalid value: "a(": must be a valid regular expression, )"
        R"(but isn't: error parsing regexp: missing closing ): `a(`)"}},
      {"{type: object, properties: {a: {type: string, x-kubernetes-list-type: set}}}",
       {R"(@.properties[a].type: Invalid value: "string": must be array if )"
        R"(x-kubernetes-list-type is specified)"}},
      {"{type: object, properties: {a: {type: array, items: {type: object}, "
       "x-kubernetes-list-type: map}}}",
       {"@.properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if "
        "x-kubernetes-list-type is map"}},
      {"{type: object, properties: {a: {type: array, items: {type: object, properties: {k: {type: "
       "string}}}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}}}",
       {"@.properties[a].items.properties[k].default: Required value: this property is in "
        "x-kubernetes-list-map-keys, so it must have a default or be a required property"}},
      {"{type: object, properties: {a: {type: array, items: {type: object}, "
       "x-kubernetes-list-type: set}}}",
       {"@.properties[a].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item "
        "of a list with x-kubernetes-list-type=set"}},
      {"{type: object, properties: {a: {type: integer, default: x}}}",
       {R"(@.properties[a].default: Invalid value: "string":  in body must be of type )"
        R"(integer: "string")"}},
      {"{type: object, properties: {a: {type: array, items: {type: integer}, default: [1, x]}}}",
       {R"(@.properties[a].default.[1]: Invalid value: "string": [1] in body must be of type )"
        R"(integer: "string")"}},
      {"{type: object, properties: {a: {type: object, properties: {b: {type: string}}, default: "
       "{c: 1}}}}",
       {R"(@.properties[a].default: Invalid value: {"c":1}: must not have unknown fields)"}},
      {"{type: object, properties: {a: {type: string, default: {c: 1}}}}",
       {R"(@.properties[a].default: Invalid value: {"c":1}: must not have unknown fields)",
        R"(@.properties[a].default: Invalid value: "object":  in body must be of type )"
        R"(string: "object")"}},
      {"{type: object, properties: {a: {type: string, not: {enum: [x]}, default: x}}}",
       {R"(@.properties[a].default: Invalid value: "": "" must not validate the schema (not))"}},
      {"{type: object, properties: {a: {type: string}}, default: {a: x}}",
       {"@.default.apiVersion: Required value", "@.default.kind: Required value"}},
      {"{type: object, properties: {metadata: {type: object, properties: {name: {type: string, "
       "default: x}}}}}",
       {"@.properties[metadata].properties[name].default: Forbidden: must not be set in top-level "
        "metadata"}},
      {"{type: object, properties: {metadata: {type: object, properties: {labels: {type: "
       "object}}}}}",
       {"@.properties[metadata]: Forbidden: must not specify anything other than name and "
        "generateName, but metadata is implicitly specified"}},
      {"{type: object, properties: {kind: {type: integer}}}",
       {R"(@.properties[kind].type: Invalid value: "integer": must be string)"}},
      {"{type: object, nullable: true}",
       {"@.nullable: Forbidden: nullable cannot be true at the root"}},
      {"{type: object, x-kubernetes-validations: [{rule: ''}]}",
       {"@.x-kubernetes-validations[0].rule: Required value: rule is not specified"}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Problems(yaml::Parse(c.schema).OrExit()), c.problems) << c.schema;
  }
}

TEST(SchemaCheck, DepthIsBounded) {
  json::Value schema = yaml::Parse("{type: string}").OrExit();
  for (int i = 0; i < 400; ++i) {
    json::Value outer = yaml::Parse("{type: object, properties: {}}").OrExit();
    outer.Ensure("properties", "a") = std::move(schema);
    schema = std::move(outer);
  }
  const std::vector<std::string> problems = Problems(schema);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0], HasSubstr("must not be nested deeper than 200 levels"));
}

TEST(SchemaCheck, Warnings) {
  EXPECT_THAT(
      SchemaWarnings(yaml::Parse("{type: object, properties: {a: {type: string, format: odd}}, "
                                 "x-kubernetes-validations: [{rule: 'true'}]}")
                         .OrExit()),
      ElementsAre("unrecognized format \"odd\""));
  EXPECT_THAT(SchemaWarnings(yaml::Parse("{type: object}").OrExit()), IsEmpty());
}

TEST(RegularExpressions, ErrorsAreWordedAsInGo) {
  for (const auto& [pattern, problem] : std::vector<std::pair<const char*, const char*>>{
           {"a(", "missing closing ): `a(`"},
           {"(?=x)", "invalid or unsupported Perl syntax: `(?=`"},
           {"a[", "missing closing ]: `[`"},
           {"*a", "missing argument to repetition operator: `*`"},
           {"a{1001}", "invalid repeat count: `{1001}`"},
           {"\\1", "invalid escape sequence: `\\1`"},
           {"[b-a]", "invalid character class range: `b-a`"},
           {"a**", "invalid nested repetition operator: `**`"},
           {"\\", "trailing backslash at end of expression: ``"},
           {"a)", "unexpected ): `a)`"}}) {
    const auto compiled = RegularExpression::Compile(pattern);
    ASSERT_FALSE(compiled.ok()) << pattern;
    EXPECT_EQ(compiled.error().message(), std::string("error parsing regexp: ") + problem);
  }
  EXPECT_TRUE(RegularExpression::Compile("(?<n>a)\\pL").OrExit()->Matches("xab"));
  EXPECT_FALSE(RegularExpression::Compile("^a$").OrExit()->Matches("ab"));
}

}  // namespace
}  // namespace kinformer::apiserver
