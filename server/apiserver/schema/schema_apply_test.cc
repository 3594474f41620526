#include "apiserver/schema/schema_apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/json/yaml.h"

namespace kinformer::apiserver {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kSchema = R"(
type: object
properties:
  spec:
    type: object
    properties:
      ports:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [port, protocol]
        items:
          type: object
          properties: {port: {type: integer}, protocol: {type: string, default: TCP},
                       name: {type: string}}
      names: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      steps: {type: array, items: {type: string}}
      whole: {type: object, x-kubernetes-map-type: atomic,
              properties: {a: {type: string}, b: {type: string}}}
      free: {type: object, x-kubernetes-preserve-unknown-fields: true})";

struct Outcome {
  std::string object;
  std::string problem;
};

Outcome Apply(std::string_view object, std::string_view declared) {
  const StructuralSchema schema(yaml::Parse(kSchema).OrExit());
  json::Value value = yaml::Parse(object).OrExit();
  Outcome outcome;
  outcome.problem = ApplyDeclared(schema.root(), yaml::Parse(declared).OrExit(), value);
  outcome.object = value.Dump({.sort_keys = true});
  return outcome;
}

TEST(SchemaApply, ListByKeys_ElementsOfOthersStay) {
  const Outcome outcome =
      Apply("spec: {ports: [{port: 1, name: a}, {port: 1, protocol: UDP}, {port: 2}]}",
            "spec: {ports: [{port: 1, protocol: TCP, name: b}, {port: 3}]}");
  EXPECT_EQ(outcome.problem, "");
  EXPECT_EQ(outcome.object, R"({"spec":{"ports":[{"name":"b","port":1,"protocol":"TCP"},)"
                            R"({"port":1,"protocol":"UDP"},{"port":2},{"port":3}]}})");
}

TEST(SchemaApply, ListByKeys_AppliedOrderIsKeptWithOthersBetween) {
  EXPECT_EQ(Apply("spec: {ports: [{port: 1}, {port: 2}, {port: 3}, {port: 4}]}",
                  "spec: {ports: [{port: 3}, {port: 1}]}")
                .object,
            R"({"spec":{"ports":[{"port":2},{"port":3},{"port":4},{"port":1}]}})");
}

TEST(SchemaApply, Sets_AreUnited) {
  EXPECT_EQ(Apply("spec: {names: [a, b]}", "spec: {names: [c, b]}").object,
            R"({"spec":{"names":["a","c","b"]}})");
}

TEST(SchemaApply, AtomicListsAndMaps_AreReplaced) {
  EXPECT_EQ(Apply("spec: {steps: [a, b], whole: {a: x, b: x}, free: {l: [1], m: {k: 1}}}",
                  "spec: {steps: [c], whole: {a: z}, free: {l: [2], m: {o: 1}}}")
                .object,
            R"({"spec":{"free":{"l":[2],"m":{"k":1,"o":1}},"steps":["c"],"whole":{"a":"z"}}})");
}

TEST(SchemaApply, Metadata_FinalizersAndOwnersMerge) {
  EXPECT_EQ(Apply("metadata: {finalizers: [a/b], ownerReferences: [{uid: u, name: q}]}",
                  "metadata: {finalizers: [c/d], ownerReferences: [{uid: v}], labels: {x: z}}")
                .object,
            R"({"metadata":{"finalizers":["a/b","c/d"],"labels":{"x":"z"},)"
            R"("ownerReferences":[{"name":"q","uid":"u"},{"uid":"v"}]}})");
}

TEST(SchemaApply, ElementsThatCannotBeToldApart_AreRefused) {
  EXPECT_EQ(Apply("{}", "spec: {ports: [{name: a}]}").problem, "") << "one key has a default";
  EXPECT_THAT(Apply("{}", "spec: {names: [a, a]}").problem,
              HasSubstr(".spec.names: duplicate entries for key"));
  EXPECT_THAT(Apply("{}", "spec: {ports: [{port: 1}, {port: 1, protocol: TCP}]}").problem,
              HasSubstr(".spec.ports: duplicate entries for key"));
}

}  // namespace
}  // namespace kinformer::apiserver
