#include "apiserver/schema/structural_schema.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/yaml.h"

namespace kinformer::apiserver {
namespace {

StructuralSchema SchemaOf(std::string_view text) {
  return StructuralSchema(yaml::Parse(text).OrExit());
}

TEST(StructuralSchemas, Types_HaveNames) {
  struct Row {
    SchemaType type;
    const char* name;
  };
  for (const Row& row : {Row{SchemaType::kObject, "object"}, Row{SchemaType::kArray, "array"},
                         Row{SchemaType::kString, "string"}, Row{SchemaType::kInteger, "integer"},
                         Row{SchemaType::kNumber, "number"}, Row{SchemaType::kBoolean, "boolean"},
                         Row{SchemaType::kAny, ""}}) {
    EXPECT_EQ(SchemaTypeOf(row.name), row.type) << row.name;
    EXPECT_EQ(SchemaTypeName(row.type), row.name);
  }
  EXPECT_EQ(SchemaTypeOf("null"), SchemaType::kAny);
}

TEST(StructuralSchemas, Flags_AreReadOneByOne) {
  const auto flags = [](const SchemaNode& node) {
    std::string out;
    if (node.nullable) out += "nullable ";
    if (node.int_or_string) out += "int_or_string ";
    if (node.embedded_resource) out += "embedded ";
    if (node.preserve_unknown) out += "preserve ";
    if (node.atomic_map) out += "atomic_map ";
    if (node.exclusive_minimum) out += "minimum ";
    if (node.exclusive_maximum) out += "maximum ";
    if (node.any_additional) out += "any ";
    if (node.no_additional) out += "none ";
    if (node.has_defaults) out += "defaults ";
    if (node.list_type == ListType::kSet) out += "set ";
    if (node.list_type == ListType::kMap) out += "map ";
    return out;
  };
  struct Row {
    const char* schema;
    const char* flags;
  };
  for (const Row& row : {
           Row{"{}", ""},
           Row{"{nullable: true}", "nullable "},
           Row{"{nullable: false}", ""},
           Row{"{x-kubernetes-int-or-string: true}", "int_or_string "},
           Row{"{x-kubernetes-embedded-resource: true}", "embedded "},
           Row{"{x-kubernetes-preserve-unknown-fields: true}", "preserve "},
           Row{"{x-kubernetes-map-type: atomic}", "atomic_map "},
           Row{"{x-kubernetes-map-type: granular}", ""},
           Row{"{exclusiveMinimum: true}", "minimum "},
           Row{"{exclusiveMaximum: true}", "maximum "},
           Row{"{x-kubernetes-list-type: set}", "set "},
           Row{"{x-kubernetes-list-type: map}", "map "},
           Row{"{x-kubernetes-list-type: atomic}", ""},
           Row{"{additionalProperties: true}", "any "},
           Row{"{additionalProperties: false}", "any none "},
           Row{"{additionalProperties: {type: string}}", ""},
           Row{"{default: 1}", "defaults "},
           Row{"{default: null}", ""},
           Row{"{properties: {a: {}, b: {default: 1}, c: {}}}", "defaults "},
           Row{"{properties: {a: {default: 1}, b: {}}, additionalProperties: {}, items: {}}",
               "defaults "},
           Row{"{additionalProperties: {default: 1}}", "defaults "},
           Row{"{items: {properties: {a: {default: 1}}}}", "defaults "},
       }) {
    EXPECT_EQ(flags(SchemaOf(row.schema).root()), row.flags) << row.schema;
  }
}

TEST(StructuralSchemas, Values_AreThoseOfTheDefinition) {
  const StructuralSchema schema = SchemaOf(R"(
type: array
format: date
pattern: ^a
minimum: 1.5
maximum: 2.5
multipleOf: 0.5
minLength: 1
maxLength: 2
minItems: 3
maxItems: 4
minProperties: 5
maxProperties: 6
required: [x, z]
enum: [a, 1]
x-kubernetes-list-map-keys: [k, l]
default: [1, {a: b}]
items: {type: object, required: [i]}
additionalProperties: {type: object, required: [p]}
properties: {c: {type: integer}, a: {type: string}, b: {type: boolean}}
allOf: [{required: [all1]}, {required: [all2]}]
anyOf: [{required: [any1]}]
oneOf: [{required: [one1]}, {}, {}]
not: {required: [not1]})");
  const SchemaNode& node = schema.root();
  EXPECT_EQ(node.type, SchemaType::kArray);
  EXPECT_EQ(node.format, "date");
  ASSERT_NE(node.pattern, nullptr);
  EXPECT_EQ(node.pattern->text(), "^a");
  EXPECT_EQ(node.minimum, 1.5);
  EXPECT_EQ(node.maximum, 2.5);
  EXPECT_EQ(node.multiple_of, 0.5);
  EXPECT_EQ(node.min_length, 1);
  EXPECT_EQ(node.max_length, 2);
  EXPECT_EQ(node.min_items, 3);
  EXPECT_EQ(node.max_items, 4);
  EXPECT_EQ(node.min_properties, 5);
  EXPECT_EQ(node.max_properties, 6);
  EXPECT_EQ(node.required, (std::vector<std::string>{"x", "z"}));
  EXPECT_EQ(node.enumeration.size(), 2U);
  EXPECT_EQ(node.enumerated.size(), 2U);
  EXPECT_TRUE(node.enumerated.contains("\"a\""));
  EXPECT_EQ(node.map_keys, (std::vector<std::string>{"k", "l"}));
  ASSERT_TRUE(node.default_value.has_value());
  EXPECT_EQ(node.default_value->Dump(), R"([1,{"a":"b"}])");
  ASSERT_NE(node.items, nullptr);
  EXPECT_EQ(node.items->required, std::vector<std::string>{"i"});
  ASSERT_NE(node.additional, nullptr);
  EXPECT_EQ(node.additional->required, std::vector<std::string>{"p"});
  EXPECT_EQ(node.names, (std::vector<std::string>{"a", "b", "c"}));
  ASSERT_EQ(node.properties.size(), 3U);
  EXPECT_EQ(node.properties[0].type, SchemaType::kString);
  EXPECT_EQ(node.properties[1].type, SchemaType::kBoolean);
  EXPECT_EQ(node.properties[2].type, SchemaType::kInteger);
  ASSERT_EQ(node.all_of.size(), 2U);
  EXPECT_EQ(node.all_of[1].required, std::vector<std::string>{"all2"});
  ASSERT_EQ(node.any_of.size(), 1U);
  EXPECT_EQ(node.any_of[0].required, std::vector<std::string>{"any1"});
  EXPECT_EQ(node.one_of.size(), 3U);
  ASSERT_NE(node.not_, nullptr);
  EXPECT_EQ(node.not_->required, std::vector<std::string>{"not1"});
  EXPECT_EQ(schema.source()["format"].StringOrEmpty(), "date");

  const StructuralSchema empty = SchemaOf("{pattern: 'a('}");
  const SchemaNode& bare = empty.root();
  EXPECT_EQ(bare.type, SchemaType::kAny);
  EXPECT_EQ(bare.pattern, nullptr) << "a pattern that does not compile matches everything";
  EXPECT_FALSE(bare.minimum || bare.maximum || bare.multiple_of || bare.min_length ||
               bare.max_length || bare.min_items || bare.max_items || bare.min_properties ||
               bare.max_properties || bare.default_value);
  EXPECT_EQ(bare.items, nullptr);
  EXPECT_EQ(bare.additional, nullptr);
  EXPECT_EQ(bare.not_, nullptr);
}

TEST(StructuralSchemas, Members_AreFoundByName) {
  const StructuralSchema schema = SchemaOf(
      "{properties: {b: {type: integer}, d: {type: string}}, additionalProperties: {type: "
      "boolean}}");
  const SchemaNode& node = schema.root();
  EXPECT_EQ(node.FindProperty("b"), &node.properties[0]);
  EXPECT_EQ(node.FindProperty("d"), &node.properties[1]);
  for (const char* name : {"", "a", "c", "e"}) {
    EXPECT_EQ(node.FindProperty(name), nullptr) << name;
    EXPECT_EQ(node.FindMember(name), node.additional.get()) << name;
  }
  EXPECT_EQ(node.FindMember("b"), &node.properties[0]);
  const StructuralSchema closed = SchemaOf("{properties: {b: {}}}");
  EXPECT_EQ(closed.root().FindMember("a"), nullptr);
}

// The limit of memory for defaults counts the text of a default and 64 bytes for each value in it.
TEST(StructuralSchemas, DefaultsCost_TheirTextAndTheirValues) {
  const auto cost = [](std::string_view value) {
    return SchemaOf("{default: " + std::string(value) + "}").root().default_cost;
  };
  EXPECT_EQ(cost("7"), 1U + 64U);
  EXPECT_EQ(cost("abc"), 5U + 64U);
  EXPECT_EQ(cost("[1, 2]"), 5U + 3U * 64U);
  EXPECT_EQ(cost("{a: 1, b: [2]}"), 15U + 4U * 64U);
  EXPECT_EQ(SchemaOf("{}").root().default_cost, 0U);
}

// Returns the depth of the deepest part that was parsed, along members named `step`.
TEST(StructuralSchemas, Depth_IsAtMost200Levels) {
  for (const char* step :
       {"properties", "additionalProperties", "items", "allOf", "anyOf", "oneOf", "not"}) {
    const std::string_view name = step;
    json::Value schema = json::Value::MakeObject({{"format", "deepest"}});
    for (std::size_t i = 0; i <= kMaxSchemaDepth; ++i) {
      json::Value inner = std::move(schema);
      schema = json::Value::MakeObject({{"format", "inner"}});
      if (name == "properties") {
        schema.Ensure(name, "p") = std::move(inner);
      } else if (name.ends_with("Of")) {
        schema.Ensure(name).Append(std::move(inner));
      } else {
        schema.Ensure(name) = std::move(inner);
      }
    }
    const StructuralSchema parsed(schema);
    const SchemaNode* node = &parsed.root();
    std::size_t levels = 0;  // those that have been parsed
    while (node != nullptr && node->format == "inner") {
      ++levels;
      if (name == "properties") node = node->FindProperty("p");
      if (name == "additionalProperties") node = node->additional.get();
      if (name == "items") node = node->items.get();
      if (name == "allOf") node = &node->all_of.at(0);
      if (name == "anyOf") node = &node->any_of.at(0);
      if (name == "oneOf") node = &node->one_of.at(0);
      if (name == "not") node = node->not_.get();
    }
    EXPECT_EQ(levels, kMaxSchemaDepth + 1) << step;
    ASSERT_NE(node, nullptr) << step;
    EXPECT_EQ(node->format, "") << step << ": deeper parts are ignored";
  }
}

TEST(StructuralSchemas, EnumerationTexts_AreEqualForEqualValues) {
  struct Row {
    const char* value;
    const char* text;
  };
  for (const Row& row : {
           Row{"1", "1"},
           Row{"1.0", "1"},
           Row{"1e2", "100"},
           Row{"-3.0", "-3"},
           Row{"0.5", "0.5"},
           Row{"0.50", "0.5"},
           Row{"9223372036854775807", "9223372036854775807"},
           Row{"18446744073709551615", "18446744073709551615"},
           Row{"1e300", "1e+300"},
           Row{"-9223372036854775808.0", "-9223372036854775808"},
           Row{"\"1\"", "\"1\""},
           Row{"true", "true"},
           Row{"null", "null"},
           Row{"[]", "[]"},
           Row{"[1.0,[2],\"a\"]", "[1,[2,],\"a\",]"},
           Row{"{}", "{}"},
           Row{R"({"b":2.0,"a":{"c":null}})", R"({"a":{"c":null,},"b":2,})"},
       }) {
    EXPECT_EQ(EnumerationText(json::Parse(row.value).OrExit()), row.text) << row.value;
  }
}

}  // namespace
}  // namespace kinformer::apiserver
