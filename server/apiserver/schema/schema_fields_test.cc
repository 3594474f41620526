#include "apiserver/schema/schema_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/json/yaml.h"

namespace kinformer::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

StructuralSchema SchemaOf(std::string_view spec) {
  json::Value schema = yaml::Parse("{type: object, properties: {}}").OrExit();
  schema.Ensure("properties", "spec") = yaml::Parse(spec).OrExit();
  return StructuralSchema(schema);
}

std::string Pruned(std::string_view schema, std::string_view object) {
  json::Value value = yaml::Parse(object).OrExit();
  PruneObject(SchemaOf(schema).root(), value);
  return value.Dump({.sort_keys = true});
}

std::string Defaulted(std::string_view schema, std::string_view spec) {
  json::Value value = json::Value::MakeObject({{"spec", yaml::Parse(spec).OrExit()}});
  (void)ApplyDefaults(SchemaOf(schema).root(), value);
  return std::as_const(value)["spec"].Dump({.sort_keys = true});
}

constexpr std::string_view kPorts = R"(
type: object
properties:
  ports: {type: array, items: {type: object, properties: {num: {type: integer}}}}
  loose: {type: object, x-kubernetes-preserve-unknown-fields: true,
          properties: {known: {type: object, properties: {a: {type: string}}}}}
  byName: {type: object, additionalProperties: {type: object, properties: {u: {type: integer}}}}
  text: {type: string}
  sealed: {type: object, additionalProperties: false}
  open: {type: object, additionalProperties: true}
  list:
    type: array
    x-kubernetes-preserve-unknown-fields: true
    items: {type: object, properties: {q: {type: object, properties: {r: {type: string}}}}}
  inner:
    type: object
    x-kubernetes-embedded-resource: true
    properties: {spec: {type: object, properties: {q: {type: integer}}}})";

TEST(SchemaFields, UnknownFieldsGo_SRV192) {
  EXPECT_EQ(Pruned(kPorts, "{apiVersion: v1, kind: K, metadata: {name: a, foo: 1}, other: 1}"),
            R"({"apiVersion":"v1","kind":"K","metadata":{"name":"a"}})");
  EXPECT_EQ(Pruned(kPorts, "{spec: {ports: [{num: 1, x: 2}], text: {a: 1}, z: 1}}"),
            R"({"spec":{"ports":[{"num":1}],"text":{}}})");
  EXPECT_EQ(Pruned(kPorts, "{spec: {loose: {u: {v: 1}, known: {a: x, b: z}}}}"),
            R"({"spec":{"loose":{"known":{"a":"x"},"u":{"v":1}}}})");
  EXPECT_EQ(Pruned(kPorts, "{spec: {list: [{a: 1, q: {r: x, s: 1}}]}}"),
            R"({"spec":{"list":[{"a":1,"q":{"r":"x"}}]}})");
  EXPECT_EQ(Pruned(kPorts, "{spec: {sealed: {a: 1}, open: {a: 1, b: {c: 1}}}}"),
            R"({"spec":{"open":{"a":1,"b":{}},"sealed":{"a":1}}})");
  EXPECT_EQ(Pruned(kPorts, "{spec: {byName: {a b: {u: 1, v: 1}}}}"),
            R"({"spec":{"byName":{"a b":{"u":1}}}})");
  EXPECT_EQ(
      Pruned(
          kPorts,
          "{spec: {inner: {apiVersion: v1, kind: P, metadata: {x: 1}, spec: {q: 1, r: 1}, s: 1}}}"),
      R"({"spec":{"inner":{"apiVersion":"v1","kind":"P","metadata":{},"spec":{"q":1}}}})");
}

TEST(SchemaFields, UnknownFieldsAreNamedInOrder) {
  const StructuralSchema schema = SchemaOf(kPorts);
  const json::Value object =
      yaml::Parse(
          "{metadata: {foo: 1}, zz: 1, spec: {ports: [{}, {x: 2}], byName: {a b: {v: 1}}, inner: "
          "{metadata: {bar: 1}, yy: 1}}}")
          .OrExit();
  EXPECT_THAT(UnknownFields(schema.root(), object),
              ElementsAre("spec.byName.a b.v", "spec.inner.yy", "spec.ports[1].x", "zz",
                          "metadata.foo", "spec.inner.metadata.bar"));
  json::Value pruned = object;
  PruneObject(schema.root(), pruned);
  EXPECT_THAT(UnknownFields(schema.root(), pruned), IsEmpty());
}

TEST(SchemaFields, Defaults_SRV193) {
  constexpr std::string_view kDefaults = R"(
type: object
properties:
  a: {type: string, default: A}
  b: {type: object, default: {}, properties: {c: {type: integer, default: 7}}}
  nn: {type: string, default: 'N', nullable: true}
  d: {type: object, properties: {e: {type: string, default: E}}}
  l: {type: array, items: {type: object, properties: {v: {type: string, default: V}}}}
  m: {type: object,
      additionalProperties: {type: object, properties: {w: {type: integer, default: 1}}}}
  plain: {type: string})";
  EXPECT_EQ(Defaulted(kDefaults, "{}"), R"({"a":"A","b":{"c":7},"nn":"N"})");
  EXPECT_EQ(
      Defaulted(kDefaults,
                "{a: null, nn: null, d: {}, l: [{}, {v: x}], m: {k: {}}, b: null, plain: null}"),
      R"({"a":"A","b":{"c":7},"d":{"e":"E"},"l":[{"v":"V"},{"v":"x"}],"m":{"k":{"w":1}},)"
      R"("nn":null})");
}

TEST(SchemaFields, TypesInMetadata) {
  const StructuralSchema schema = SchemaOf(kPorts);
  const auto error = [&](std::string_view object) {
    return MetadataTypeError(schema.root(), yaml::Parse(object).OrExit());
  };
  EXPECT_EQ(error("{metadata: {labels: {a: 1}}}"),
            "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string");
  EXPECT_EQ(error("{metadata: {labels: x}}"),
            "json: cannot unmarshal string into Go struct field ObjectMeta.labels of type "
            "map[string]string");
  EXPECT_EQ(error("{metadata: x}"),
            "json: cannot unmarshal string into Go value of type v1.ObjectMeta");
  EXPECT_EQ(
      error("{spec: {inner: {metadata: {labels: {a: 1}}}}}"),
      R"(spec.inner.metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number )"
      "into Go struct field ObjectMeta.labels of type string");
  EXPECT_EQ(error("{spec: {inner: {apiVersion: 7}}}"),
            "spec.inner.apiVersion: Invalid value: 7: must be a string");
  EXPECT_EQ(error("{spec: {inner: {apiVersion: v1, kind: [a]}}}"),
            "spec.inner.kind: Invalid value: [\"a\"]: must be a string");
  EXPECT_EQ(error("{metadata: {name: a, generation: 1, finalizers: [a], ownerReferences: [{}]}}"),
            "");
}

// Defaults are counted by their memory, and stop at the limit.
TEST(SchemaFields, DefaultsThatMultiply_EndWhereTheyAreTooMuch) {
  const std::string fat(10'000, 'x');
  const StructuralSchema schema = SchemaOf(
      "{type: object, properties: {l: {type: array, items: {type: object, properties: {s: {type: "
      "string, default: " +
      fat + "}}}}}}");
  json::Value object = json::Value::MakeObject({{"spec", json::Value::MakeObject()}});
  for (int i = 0; i < 100'000; ++i) {
    object.Ensure("spec", "l").Append(json::Value::MakeObject());
  }
  EXPECT_FALSE(ApplyDefaults(schema.root(), object));
  std::size_t made = 0;
  for (const json::Value& item : object.At("/spec/l").items()) made += item.size();
  EXPECT_LE(made * fat.size(), kMaxDefaultBytes);
  EXPECT_GT(made, 0U);

  json::Value few = yaml::Parse("{spec: {l: [{}, {}, {s: y}]}}").OrExit();
  EXPECT_TRUE(ApplyDefaults(schema.root(), few));
  EXPECT_EQ(few.At("/spec/l/1/s").StringOrEmpty(), fat);
}

}  // namespace
}  // namespace kinformer::apiserver
