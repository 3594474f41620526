// Fields of new objects, by the quick way and by comparison with nothing.

#include "apiserver/ownership/value_fields.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/internal/registry.h"
#include "kinformer/json/yaml.h"

#include "apiserver/ownership/new_fields.h"

namespace kinformer::apiserver {
namespace {

json::Value Parse(std::string_view text) { return yaml::Parse(text).OrExit(); }

// Returns the fields of a new object, and checks that both ways find the same.
std::string FieldsOfNew(const ValueShape& shape, std::string_view text) {
  const json::Value object = Parse(text);
  const json::Value quick = NewFieldsOf(shape, object, {});
  const FieldChanges changes = Compare(shape, json::Value::MakeObject(), object);
  FieldSet slow = changes.added;
  slow.Add(changes.modified);
  EXPECT_EQ(quick.Dump(), slow.empty() ? "null" : slow.ToJson().Dump());
  EXPECT_TRUE(changes.removed.empty());
  return quick.Dump();
}

TEST(NewFields, BuiltInObject_HasThoseOfAComparison) {
  const ServedVersion pod{.message = internal::FindType("", "v1", "Pod")->message};
  const ValueShape shape = ValueShape::Of(pod);
  EXPECT_EQ(FieldsOfNew(shape, "{metadata: {name: a}}"), R"({"f:metadata":{"f:name":{}}})");
  EXPECT_EQ(FieldsOfNew(shape, "{metadata: {labels: {a: b}, annotations: {}}, spec: {}}"),
            R"({"f:metadata":{"f:annotations":{},"f:labels":{".":{},"f:a":{}}}})");
  EXPECT_EQ(FieldsOfNew(shape,
                        "{spec: {containers: [{name: c, image: i, ports: [{containerPort: 80}], "
                        "resources: {limits: {cpu: 1}}, env: []}], nodeSelector: {a: b}, "
                        "securityContext: {}, tolerations: [{key: k}]}}"),
            R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:env":{},"f:image":{},)"
            R"("f:name":{},"f:ports":{".":{},"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":)"
            R"({".":{},"f:containerPort":{}}},"f:resources":{".":{},"f:limits":{".":{},)"
            R"("f:cpu":{}}}}},"f:nodeSelector":{},"f:securityContext":{},"f:tolerations":{}}})");
  // Two elements with one key have one owner, of the key alone.
  EXPECT_EQ(FieldsOfNew(shape, "{spec: {containers: [{name: c}, {name: c}]}}"),
            R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{}}}})");
  FieldsOfNew(shape, "{spec: {containers: []}, status: {conditions: [{type: a}], phase: null}}");
  FieldsOfNew(shape, "{metadata: {finalizers: [a, b], ownerReferences: [{uid: u}]}}");
}

TEST(NewFields, FieldsThatAreLeftOut_GoWithAllBelowThem) {
  const ValueShape shape =
      ValueShape::Of(ServedVersion{.message = internal::FindType("", "v1", "Pod")->message});
  const FieldSet left =
      FieldSet::FromJson(Parse(R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{}}}})"));
  const FieldSet name = FieldSet::FromJson(Parse(R"({"f:metadata":{"f:name":{}}})"));
  const json::Value pod =
      Parse("{metadata: {name: a}, spec: {nodeName: n, containers: [{name: a, image: i}]}}");
  EXPECT_EQ(NewFieldsOf(shape, pod, {&name, &left}).Dump(), R"({"f:spec":{"f:nodeName":{}}})");
  const FieldSet spec = FieldSet::FromJson(Parse(R"({"f:spec":{}})"));
  EXPECT_TRUE(NewFieldsOf(shape, pod, {&name, &spec}).is_null());
}

TEST(NewFields, CustomObject_HasThoseOfAComparison) {
  ServedVersion version;
  version.schema = std::make_shared<const StructuralSchema>(
      Parse("{properties: {spec: {properties: {set: {items: {}, x-kubernetes-list-type: set}, "
            "map: {items: {properties: {k: {}}}, x-kubernetes-list-type: map, "
            "x-kubernetes-list-map-keys: [k]}, list: {items: {}}, "
            "atomic: {x-kubernetes-map-type: atomic}}}}}"));
  const ValueShape shape = ValueShape::Of(version);
  EXPECT_EQ(FieldsOfNew(shape, "{metadata: {labels: {a: b}}, spec: {set: [x, z], list: [1, 2]}}"),
            R"({"f:metadata":{"f:labels":{".":{},"f:a":{}}},"f:spec":{".":{},"f:list":{},)"
            R"("f:set":{".":{},"v:\"x\"":{},"v:\"z\"":{}}}})");
  EXPECT_EQ(FieldsOfNew(shape, "{spec: {map: [{k: a, v: 1}], atomic: {a: b}}, status: {}}"),
            R"({"f:spec":{".":{},"f:atomic":{},"f:map":{".":{},"k:{\"k\":\"a\"}":{".":{},"f:k":{},)"
            R"("f:v":{}}}},"f:status":{}})");
  FieldsOfNew(shape, "{spec: {set: [], map: [], list: [], atomic: {}, other: null}, x: [1]}");
}

}  // namespace
}  // namespace kinformer::apiserver
