#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/errors/status.h"
#include "apiserver/schema/schema_check.h"

namespace kinformer::apiserver {
namespace {

using Strings = std::vector<std::string>;

// Returns the problems of a schema whose field `a` has this schema, without the path to it.
Strings Problems(std::string_view schema) {
  json::Value root = yaml::Parse("{type: object, properties: {}}").OrExit();
  root.Ensure("properties", "a") = yaml::Parse(schema).OrExit();
  constexpr std::string_view kAt = "@.properties[a]";
  Strings texts;
  for (const StatusCause& cause : CheckSchema(root, "@")) {
    EXPECT_TRUE(cause.field.starts_with(kAt)) << cause.field;
    texts.push_back(cause.field.substr(kAt.size()) + ": " + cause.message);
  }
  return texts;
}

struct Case {
  std::string_view schema;
  Strings problems;
};

void Expect(const std::vector<Case>& cases) {
  for (const Case& c : cases) EXPECT_EQ(Problems(c.schema), c.problems) << c.schema;
}

TEST(SchemaRules, ValueRules_NameNothingStructural) {
  const auto must = [](std::string_view at, std::string_view state) {
    return std::string(at) + ": Forbidden: must be " + std::string(state) + " to be structural";
  };
  Expect({
      {"{type: string, anyOf: [{type: '', nullable: false, title: ''}, {}]}", {}},
      {"{type: string, oneOf: [{x-kubernetes-list-map-keys: [], x-kubernetes-validations: []}]}",
       {}},
      {"{type: string, anyOf: [{default: ''}]}", {must(".anyOf[0].default", "undefined")}},
      {"{type: string, anyOf: [{default: false}]}", {must(".anyOf[0].default", "undefined")}},
      {"{type: string, anyOf: [{default: []}]}", {must(".anyOf[0].default", "undefined")}},
      {"{type: string, anyOf: [{default: null}]}", {}},
      {"{type: string, oneOf: [{}, {x-kubernetes-map-type: atomic, x-kubernetes-validations: "
       "[{rule: x}], x-kubernetes-list-map-keys: [k]}]}",
       {must(".oneOf[1].x-kubernetes-list-map-keys", "empty"),
        must(".oneOf[1].x-kubernetes-map-type", "undefined"),
        must(".oneOf[1].x-kubernetes-validations", "empty"),
        ".oneOf[1].x-kubernetes-list-type: Required value: must be map if "
        "x-kubernetes-list-map-keys is non-empty",
        ".oneOf[1].type: Required value: must be object if x-kubernetes-map-type is specified"}},
      {"{type: string, not: {x-kubernetes-embedded-resource: true, x-kubernetes-int-or-string: "
       "true, x-kubernetes-preserve-unknown-fields: true}}",
       {must(".not.x-kubernetes-embedded-resource", "false"),
        must(".not.x-kubernetes-int-or-string", "false"),
        must(".not.x-kubernetes-preserve-unknown-fields", "false")}},
      {"{type: object, allOf: [{properties: {b: {type: string, anyOf: [{title: x}]}}}]}",
       {must(".allOf[0].properties[b].type", "empty"),
        must(".allOf[0].properties[b].anyOf[0].title", "empty")}},
      {"{type: array, items: {type: string}, allOf: [{items: {title: x}}]}",
       {must(".allOf[0].items.title", "empty")}},
      {"{type: object, allOf: [{additionalProperties: {}}]}",
       {must(".allOf[0].additionalProperties", "undefined")}},
      {"{type: object, not: {properties: {metadata: {title: x}}}}",
       {".not.properties[metadata]: Forbidden: must not be specified in a nested context",
        ".properties[metadata]: Required value: because it is defined in "
        "@.properties[a].not.properties[metadata]"}},
      {"{type: object, not: {properties: {b: {properties: {metadata: {}}}}}}",
       {".not.properties[b].properties[metadata]: Forbidden: must not be specified in a nested "
        "context",
        ".properties[b].properties[metadata]: Required value: because it is defined in "
        "@.properties[a].not.properties[b].properties[metadata]"}},
      {"{x-kubernetes-int-or-string: true, anyOf: [{type: string}, {type: integer}]}",
       {must(".anyOf[0].type", "empty"), must(".anyOf[1].type", "empty")}},
      {"{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}, {}]}",
       {must(".anyOf[0].type", "empty"), must(".anyOf[1].type", "empty")}},
      {"{x-kubernetes-int-or-string: true, anyOf: [{type: integer, minimum: 1}, {type: string}]}",
       {must(".anyOf[0].type", "empty"), must(".anyOf[1].type", "empty")}},
      {"{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string, pattern: x}]}",
       {must(".anyOf[0].type", "empty"), must(".anyOf[1].type", "empty")}},
      {"{type: string, anyOf: [{type: integer}, {type: string}]}",
       {must(".anyOf[0].type", "empty"), must(".anyOf[1].type", "empty")}},
      {"{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], oneOf: "
       "[{type: integer}]}",
       {must(".oneOf[0].type", "empty")}},
      {"{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: boolean}]}",
       {must(".anyOf[0].type", "empty"), must(".anyOf[1].type", "empty")}},
      {"{x-kubernetes-int-or-string: true, allOf: [{anyOf: [{type: integer}, {type: string}]}]}",
       {}},
      {"{type: string, allOf: [{anyOf: [{type: integer}, {type: string}]}]}",
       {must(".allOf[0].anyOf[0].type", "empty"), must(".allOf[0].anyOf[1].type", "empty")}},
      {"{x-kubernetes-int-or-string: true, allOf: [{anyOf: [{type: integer}, {type: string}]}, "
       "{anyOf: [{type: integer}]}]}",
       {must(".allOf[1].anyOf[0].type", "empty")}},
      {"{x-kubernetes-int-or-string: true, allOf: [{pattern: x}, {anyOf: [{type: integer}, {type: "
       "string}]}]}",
       {must(".allOf[1].anyOf[0].type", "empty"), must(".allOf[1].anyOf[1].type", "empty")}},
  });
}

TEST(SchemaRules, Parts_ThatAreNotSupported_AreRefused) {
  for (const char* name :
       {"$ref", "id", "patternProperties", "additionalItems", "definitions", "dependencies"}) {
    const std::string field(name);
    EXPECT_EQ(Problems("{type: string, '" + field + "': x}"),
              Strings{"." + field + ": Forbidden: " + field + " is not supported"});
    EXPECT_EQ(Problems("{type: string, '" + field + "': ''}"), Strings{});
    EXPECT_EQ(Problems("{type: string, '" + field + "': null}"), Strings{});
  }
  EXPECT_EQ(Problems("{$ref: x}"), Strings{".$ref: Forbidden: $ref is not supported"});
  Expect({
      {"{type: array, uniqueItems: false, items: {type: string}}", {}},
      {"{type: object, additionalProperties: false, properties: {b: {type: string}}}",
       {".additionalProperties: Forbidden: additionalProperties and properties are mutual "
        "exclusive"}},
      {"{type: object, additionalProperties: true, properties: {b: {type: string}}}", {}},
      {"{type: object, additionalProperties: false, properties: {}}", {}},
      {"{type: object, additionalProperties: {type: foo}}",
       {R"(.additionalProperties.type: Unsupported value: "foo": supported values: "array", )"
        R"("boolean", "integer", "number", "object", "string")"}},
      {"{type: object, additionalProperties: {}}",
       {".additionalProperties.type: Required value: must not be empty for specified object "
        "fields"}},
      {"{x-kubernetes-embedded-resource: true, properties: {b: {type: string}}}",
       {".type: Required value: must be object if x-kubernetes-embedded-resource is true"}},
      {"{type: string, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: "
       "true}",
       {R"(.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is )"
        "true"}},
      {"{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: "
       "true}",
       {}},
  });
}

TEST(SchemaRules, Lists_HaveConsistentKeys) {
  const std::string keys = "x-kubernetes-list-map-keys";
  const auto list = [](std::string_view property, std::string_view rest = {}) {
    return "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: "
           "{type: object, properties: {k: " +
           std::string(property) + "}" + std::string(rest) + "}}";
  };
  EXPECT_EQ(Problems(list("{type: string}", ", required: [k]")), Strings{});
  EXPECT_EQ(Problems(list("{type: string, default: x}")), Strings{});
  EXPECT_EQ(Problems(list("{type: string, default: x, nullable: true}")),
            Strings{".items.properties[k].nullable: Forbidden: this property is in "
                    "x-kubernetes-list-map-keys, so it cannot be nullable"});
  for (const char* type : {"object", "array, items: {type: string}"}) {
    const std::string text = type;
    EXPECT_EQ(
        Problems(list("{type: " + text + "}", ", required: [k]")),
        Strings{".items.properties[k].type: Invalid value: \"" + text.substr(0, text.find(',')) +
                "\": must be a scalar type if parent array's x-kubernetes-list-type is map"});
  }
  Expect({
      {"{type: array, x-kubernetes-list-type: odd, items: {type: string}}",
       {R"(.x-kubernetes-list-type: Unsupported value: "odd": supported values: "atomic", "set", )"
        R"("map")"}},
      {"{type: array, x-kubernetes-list-type: atomic, items: {type: string}}", {}},
      {"{x-kubernetes-int-or-string: true, x-kubernetes-list-type: atomic}",
       {".type: Required value: must be array if x-kubernetes-list-type is specified"}},
      {"{type: array, x-kubernetes-list-type: set, x-kubernetes-list-map-keys: [k], items: {type: "
       "string}}",
       {R"(.x-kubernetes-list-type: Invalid value: "set": must be map if )"
        "x-kubernetes-list-map-keys is non-empty"}},
      {"{type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: "
       "atomic}}",
       {}},
      {"{type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: "
       "granular}}",
       {R"(.items.x-kubernetes-map-type: Invalid value: "granular": must be atomic as item of a )"
        "list with x-kubernetes-list-type=set"}},
      {"{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, k, l], items: "
       "{type: object, required: [k], properties: {k: {type: string}}}}",
       {R"(.x-kubernetes-list-map-keys: Invalid value: ["k","k","l"]: entries must all be names )"
        "of item properties",
        R"(.x-kubernetes-list-map-keys: Invalid value: ["k","k","l"]: must not contain )"
        "duplicate entries"}},
      {"{type: object, x-kubernetes-map-type: granular}", {}},
      {"{type: object, x-kubernetes-map-type: odd}",
       {R"(.x-kubernetes-map-type: Unsupported value: "odd": supported values: "atomic", )"
        R"("granular")"}},
      {"{type: string, x-kubernetes-map-type: atomic}",
       {R"(.type: Invalid value: "string": must be object if x-kubernetes-map-type is )"
        "specified"}},
      {"{type: object, x-kubernetes-validations: [{rule: \" \\t\\n\"}, {rule: 'true'}, {}]}",
       {".x-kubernetes-validations[0].rule: Required value: rule is not specified",
        ".x-kubernetes-validations[2].rule: Required value: rule is not specified"}},
  });
}

TEST(SchemaRules, Root_IsAnObjectWithTheMembersOfObjects) {
  const auto problems = [](std::string_view schema) {
    Strings texts;
    for (const StatusCause& cause : CheckSchema(yaml::Parse(schema).OrExit(), "@")) {
      texts.push_back(cause.field + ": " + cause.message);
    }
    return texts;
  };
  const std::string only =
      "@.properties[metadata]: Forbidden: must not specify anything other than name and "
      "generateName, but metadata is implicitly specified";
  EXPECT_EQ(problems("{type: object, properties: {apiVersion: {type: string}, kind: {type: "
                     "string}, metadata: {type: object, properties: {name: {type: string}, "
                     "generateName: {type: string}}}}}"),
            Strings{});
  EXPECT_EQ(problems("{type: object, properties: {apiVersion: {type: integer}}}"),
            Strings{"@.properties[apiVersion].type: Invalid value: \"integer\": must be string"});
  EXPECT_EQ(problems("{type: object, properties: {metadata: {type: string}}}"),
            Strings{"@.properties[metadata].type: Invalid value: \"string\": must be object"});
  EXPECT_EQ(problems("{type: object, properties: {metadata: {type: object, title: x}}}"),
            Strings{only});
  EXPECT_EQ(problems("{type: object, default: {apiVersion: v1}}"),
            Strings{"@.default.kind: Required value"});
  EXPECT_EQ(problems("{type: object, default: {apiVersion: v1, kind: K}}"), Strings{});
  EXPECT_EQ(problems("{type: object, properties: {l: {type: array, items: {type: object, "
                     "properties: {b: {type: integer, default: x}}}}}}"),
            Strings{"@.properties[l].items.properties[b].default: Invalid value: \"string\":  in "
                    "body must be of type integer: \"string\""});
}

// Levels are counted alike wherever schemas nest.
TEST(SchemaRules, Depth_IsAtMost200Levels) {
  struct Way {
    const char* member;
    std::string_view around;  // what each level has beside it; nothing: all are inside a `not`
  };
  for (const Way& way : {Way{"properties", "type: object"}, Way{"items", "type: array"},
                         Way{"not", ""}, Way{"properties", ""}, Way{"items", ""}}) {
    const auto problems = [&](int levels) {
      json::Value schema = yaml::Parse(way.around.empty() ? "{}" : "{type: string}").OrExit();
      for (int i = 1; i < levels; ++i) {
        json::Value outer = yaml::Parse("{" + std::string(way.around) + "}").OrExit();
        if (std::string_view(way.member) == "properties") {
          outer.Ensure("properties").Set("b", std::move(schema));
        } else {
          outer.Set(way.member, std::move(schema));
        }
        schema = std::move(outer);
      }
      json::Value root = yaml::Parse("{type: object, properties: {}}").OrExit();
      if (way.around.empty()) {
        json::Value field = yaml::Parse("{type: string}").OrExit();
        field.Set("not", std::move(schema));
        schema = std::move(field);
      }
      root.Ensure("properties", "a") = std::move(schema);
      std::size_t deep = 0;
      for (const StatusCause& cause : CheckSchema(root, "@")) {
        if (cause.message == "Forbidden: must not be nested deeper than 200 levels") ++deep;
      }
      return deep;
    };
    // The root is level 0, and with `not` the field is level 1.
    const int most = way.around.empty() ? 199 : 200;
    EXPECT_EQ(problems(most), 0U) << way.member << way.around;
    EXPECT_EQ(problems(most + 1), 1U) << way.member << way.around;
  }
}

TEST(SchemaRules, Problems_AreAtMostAsManyAsAStatusHolds) {
  json::Value schema = yaml::Parse("{type: object, properties: {}}").OrExit();
  for (int i = 0; i < 300; ++i) {
    schema.Ensure("properties").Set("p" + std::to_string(i), json::Value::MakeObject());
  }
  EXPECT_EQ(CheckSchema(schema, "@").size(), kMaxCauses);
}

TEST(SchemaRules, Warnings_ComeFromAllParts) {
  EXPECT_EQ(SchemaWarnings(
                yaml::Parse("{type: object, properties: {a: {format: p}, u: {format: uuid}}, "
                            "additionalProperties: {format: q}, items: {format: r}, allOf: "
                            "[{format: s}], anyOf: [{}, {format: t}], oneOf: [{format: v}], not: "
                            "{format: w}, x-kubernetes-validations: []}")
                    .OrExit()),
            (Strings{"unrecognized format \"p\"", "unrecognized format \"q\"",
                     "unrecognized format \"r\"", "unrecognized format \"s\"",
                     "unrecognized format \"t\"", "unrecognized format \"v\"",
                     "unrecognized format \"w\""}));
}

}  // namespace
}  // namespace kinformer::apiserver
