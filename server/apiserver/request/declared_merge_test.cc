#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/internal/descriptor.h"
#include "kinformer/internal/registry.h"
#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "apiserver/request/list_order.h"
#include "apiserver/request/patch.h"

namespace kinformer::apiserver {
namespace {

// Applies declarations to a Pod, both as YAML. Returns the result as JSON, or the error's text.
std::string Applied(std::string_view object, std::string_view declared) {
  json::Value document = yaml::Parse(object).OrExit();
  const Result<void> done = ApplyDeclaredObject(
      yaml::Parse(declared).OrExit(), internal::FindType("", "v1", "Pod")->message, document);
  if (!done) return done.error().message();
  return document.Dump({.sort_keys = true});
}

TEST(DeclaredMerge, ObjectsAndLists_AreMergedByTheirType) {
  struct Case {
    std::string_view object;
    std::string_view declared;
    std::string_view result;
  };
  const std::vector<Case> cases = {
      {"{}", "[]", "a merge patch must be an object"},
      {"a", "kind: Pod", R"({"kind":"Pod"})"},
      {"{}", "spec: {nodeName: null, volumes: [{name: null}]}", R"({"spec":{"volumes":[{}]}})"},
      {"spec: {nodeName: a, hostIPC: true}", "spec: {nodeName: b}",
       R"({"spec":{"hostIPC":true,"nodeName":"b"}})"},
      {"spec: {nodeName: a, hostIPC: true}", "spec: {nodeName: null}",
       R"({"spec":{"hostIPC":true}})"},
      {"spec: 1", "spec: {nodeName: b}", R"({"spec":{"nodeName":"b"}})"},
      {"spec: {nodeName: a}", "spec: 1", R"({"spec":1})"},
      {"spec: {volumes: 1}", "spec: {volumes: [{name: a}]}",
       R"({"spec":{"volumes":[{"name":"a"}]}})"},
      {"metadata: {labels: {a: x}}", "metadata: {labels: {b: z}}",
       R"({"metadata":{"labels":{"a":"x","b":"z"}}})"},
      // A set.
      {"metadata: {finalizers: [a, b]}", "metadata: {finalizers: [b, c]}",
       R"({"metadata":{"finalizers":["a","b","c"]}})"},
      {"metadata: {finalizers: [a]}", "metadata: {finalizers: [c, c]}",
       ".metadata.finalizers: duplicate entries for key [=\"c\"]"},
      // Merges by one key, and what is new is without nulls.
      {"spec: {containers: [{name: a, image: i}]}",
       "spec: {containers: [{name: a, command: [x]}, {name: b, image: null}]}",
       R"({"spec":{"containers":[{"command":["x"],"image":"i","name":"a"},{"name":"b"}]}})"},
      {"{}", "spec: {containers: [{name: a}, {name: a}]}",
       ".spec.containers: duplicate entries for key [name=\"a\"]"},
      // By several keys.
      {"spec: {topologySpreadConstraints: [{topologyKey: z, whenUnsatisfiable: a}]}",
       "spec: {topologySpreadConstraints: [{topologyKey: z, whenUnsatisfiable: a, maxSkew: 2}, "
       "{topologyKey: z, whenUnsatisfiable: b}]}",
       R"({"spec":{"topologySpreadConstraints":[{"maxSkew":2,"topologyKey":"z",)"
       R"("whenUnsatisfiable":"a"},)"
       R"({"topologyKey":"z","whenUnsatisfiable":"b"}]}})"},
      // Atomic lists, and lists that are not known, are replaced, and may repeat elements.
      {"spec: {tolerations: [{key: a}]}", "spec: {tolerations: [{key: b}, {key: b}]}",
       R"({"spec":{"tolerations":[{"key":"b"},{"key":"b"}]}})"},
      {"spec: {nothing: [a]}", "spec: {nothing: [b, b]}", R"({"spec":{"nothing":["b","b"]}})"},
      {"spec: {containers: [{name: a, args: [x]}]}",
       "spec: {containers: [{name: a, args: [z, z]}]}",
       R"({"spec":{"containers":[{"args":["z","z"],"name":"a"}]}})"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Applied(c.object, c.declared), c.result) << c.object << " " << c.declared;
  }
}

TEST(ListElements, Identity_IsTheValueOrTheKeys) {
  const auto identity = [](std::vector<std::string_view> members, std::string_view element) {
    return IdentityOf({.members = std::move(members)}, json::Parse(element).OrExit());
  };
  EXPECT_EQ(identity({}, "1"), identity({}, "1.0"));
  EXPECT_EQ(identity({}, "1"), identity({}, "1e0"));
  EXPECT_NE(identity({}, "1"), identity({}, "1.5"));
  EXPECT_NE(identity({}, "1"), identity({}, "\"1\""));
  EXPECT_EQ(identity({}, R"({"a":1,"b":2})"), identity({}, R"({"b":2,"a":1})"));
  EXPECT_EQ(identity({"a", "b"}, R"({"a":1,"b":"x","c":2})"), "1/\"x\"");
  EXPECT_EQ(identity({"a"}, R"({"a":1,"c":2})"), "1");
  EXPECT_EQ(identity({"port", "protocol"}, R"({"port":1})"), "1/\"TCP\"");
  EXPECT_EQ(identity({"port", "protocol"}, R"({"port":1,"protocol":"UDP"})"), "1/\"UDP\"");
  EXPECT_EQ(identity({"protocol", "port"}, R"({"protocol":"UDP"})"), "\"UDP\"/null");
}

TEST(ListElements, Order_IsTheWantedOneWithOthersWhereTheyWere) {
  const auto ordered = [](std::string_view list, std::string_view wanted, std::string_view before) {
    json::Value elements = json::Parse(list).OrExit();
    const json::Value first = json::Parse(wanted).OrExit();
    const json::Value old = json::Parse(before).OrExit();
    OrderElements({}, PlacesOf({}, first.items()), PlacesOf({}, old.items()),
                  elements.EnsureArray());
    return elements.Dump();
  };
  EXPECT_EQ(ordered("[1,2,3]", "[3,2,1]", "[1,2,3]"), "[3,2,1]");
  EXPECT_EQ(ordered("[1,2,3,4]", "[4,2]", "[1,2,3,4]"), "[1,3,4,2]");
  EXPECT_EQ(ordered("[1,2,3,4]", "[2,4]", "[1,2,3,4]"), "[1,2,3,4]");
  EXPECT_EQ(ordered("[1,2,3]", "[3]", "[1,2]"), "[3,1,2]") << "3 was not there before";
  EXPECT_EQ(ordered("[1,2,3]", "[2]", "[2]"), "[2,1,3]") << "1 and 3 were not there before";
  EXPECT_EQ(ordered("[2,1,1]", "[1,2]", "[1,2]"), "[1,1,2]") << "equal elements stay together";
  EXPECT_EQ(ordered("[3,1,2]", "[]", "[1,2,3]"), "[1,2,3]");
}

// The schema of this list says that it is a set, and nothing about patches.
TEST(DeclaredMerge, SetsWithoutAPatchStrategy_AreMergedToo) {
  json::Value document = yaml::Parse("spec: {volumeLifecycleModes: [a, b]}").OrExit();
  ASSERT_TRUE(ApplyDeclaredObject(yaml::Parse("spec: {volumeLifecycleModes: [b, c]}").OrExit(),
                                  internal::FindType("storage.k8s.io", "v1", "CSIDriver")->message,
                                  document)
                  .ok());
  EXPECT_EQ(document.Dump(), R"({"spec":{"volumeLifecycleModes":["a","b","c"]}})");
}

}  // namespace
}  // namespace kinformer::apiserver
