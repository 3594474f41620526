#include <algorithm>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <string_view>

#include "kinformer/internal/descriptor.h"
#include "kinformer/internal/registry.h"
#include "kinformer/json.h"
#include "kinformer/yaml.h"

#include "apiserver/request/patch.h"

namespace kinformer::apiserver {
namespace {

using internal::MessageDescriptor;

// The type of what stands at a path of a Pod.
const MessageDescriptor* TypeAt(std::initializer_list<std::string_view> path) {
  const MessageDescriptor* type = internal::FindType("", "v1", "Pod")->message;
  for (const std::string_view name : path) {
    const auto field = std::ranges::find(type->fields, name, &internal::FieldDescriptor::json_name);
    type = field->message;
  }
  return type;
}
const MessageDescriptor* Spec() { return TypeAt({"spec"}); }
const MessageDescriptor* Container() { return TypeAt({"spec", "containers"}); }

// Makes of the object what the patch says, both as YAML, and returns it as JSON.
std::string Merged(std::string_view object, std::string_view patch,
                   const MessageDescriptor* type = Container()) {
  json::Value document = yaml::Parse(object).OrExit();
  ApplyStrategicMergePatch(yaml::Parse(patch).OrExit(), type, document).OrExit();
  return document.Dump({.sort_keys = true});
}

std::string Applied(std::string_view object, std::string_view declared) {
  json::Value document = yaml::Parse(object).OrExit();
  ApplyDeclaredObject(yaml::Parse(declared).OrExit(), Container(), document).OrExit();
  return document.Dump({.sort_keys = true});
}

constexpr std::string_view kDns =
    "ports: [{containerPort: 53, name: dns, protocol: UDP}, "
    "{containerPort: 53, name: dns-tcp, protocol: TCP}, {containerPort: 80, name: web}]";

// As strategicpatch of k8s.io/apimachinery has it, whatever one may wish.
TEST(StrategicMerge, ElementsWithOneKey_TheFirstMergesAndTheOthersStay) {
  EXPECT_EQ(Merged(kDns, "ports: [{containerPort: 53, name: dns2}]"),
            R"({"ports":[{"containerPort":53,"name":"dns2","protocol":"UDP"},)"
            R"({"containerPort":53,"name":"dns-tcp","protocol":"TCP"},)"
            R"({"containerPort":80,"name":"web"}]})");
  EXPECT_EQ(
      Merged("env: [{name: A, value: '1'}, {name: B}, {name: A, value: '2'}]", "env: [{name: C}]"),
      R"({"env":[{"name":"C"},{"name":"A","value":"1"},{"name":"A","value":"2"},)"
      R"({"name":"B"}]})");
  EXPECT_EQ(
      Merged("topologySpreadConstraints: [{topologyKey: z, whenUnsatisfiable: a}, "
             "{topologyKey: z, whenUnsatisfiable: b}]",
             "topologySpreadConstraints: [{topologyKey: z, maxSkew: 2}]", Spec()),
      R"({"topologySpreadConstraints":[{"maxSkew":2,"topologyKey":"z","whenUnsatisfiable":"a"},)"
      R"({"topologyKey":"z","whenUnsatisfiable":"b"}]})");
}

TEST(StrategicMerge, ElementsWithOneKey_AllAreDeletedTogetherAndOrderedTogether) {
  EXPECT_EQ(Merged(kDns, "ports: [{containerPort: 53, $patch: delete}]"),
            R"({"ports":[{"containerPort":80,"name":"web"}]})");
  EXPECT_EQ(Merged(kDns, "$setElementOrder/ports: [{containerPort: 80}, {containerPort: 53}]"),
            R"({"ports":[{"containerPort":80,"name":"web"},)"
            R"({"containerPort":53,"name":"dns","protocol":"UDP"},)"
            R"({"containerPort":53,"name":"dns-tcp","protocol":"TCP"}]})");
}

TEST(StrategicMerge, ElementsWithOneKey_InAListThatIsNewAllAreKept) {
  EXPECT_EQ(Merged("{}",
                   "ports: [{containerPort: 53, protocol: UDP}, "
                   "{containerPort: 53, protocol: TCP}]"),
            R"({"ports":[{"containerPort":53,"protocol":"UDP"},)"
            R"({"containerPort":53,"protocol":"TCP"}]})");
}

TEST(StrategicMerge, Deletions_ComeBeforeWhatIsMergedWhereverTheyStand) {
  const std::string fresh = R"({"env":[{"name":"B"},{"name":"A","value":"2"}]})";
  EXPECT_EQ(Merged("env: [{name: A, value: '1'}, {name: B}]",
                   "{env: [{name: A, $patch: delete}, {name: A, value: '2'}],"
                   " $setElementOrder/env: [{name: B}, {name: A}]}"),
            fresh);
  EXPECT_EQ(Merged("env: [{name: A, value: '1'}, {name: B}]",
                   "{env: [{name: A, value: '2'}, {name: A, $patch: delete}],"
                   " $setElementOrder/env: [{name: B}, {name: A}]}"),
            fresh);
}

TEST(StrategicMerge, Directives_LeaveNothingWhereThereWasNothing) {
  EXPECT_EQ(Merged("{}",
                   "{resources: {$patch: delete}, securityContext: {capabilities: {$patch: "
                   "replace, add: [A]}, runAsUser: null}}"),
            R"({"securityContext":{}})");
  EXPECT_EQ(Merged("{}", "env: [{name: A}, {name: B, $patch: delete}]"),
            R"({"env":[{"name":"A"}]})");
}

// Two ports may have one number, and each is its own protocol's.
TEST(StrategicMerge, Apply_TellsPortsApartByTheirProtocol) {
  EXPECT_EQ(Applied(kDns,
                    "ports: [{containerPort: 53, name: t}, {containerPort: 53, name: u, "
                    "protocol: UDP}]"),
            R"({"ports":[{"containerPort":53,"name":"t","protocol":"TCP"},)"
            R"({"containerPort":53,"name":"u","protocol":"UDP"},)"
            R"({"containerPort":80,"name":"web"}]})");
  json::Value document = yaml::Parse(kDns).OrExit();
  EXPECT_FALSE(
      ApplyDeclaredObject(yaml::Parse("ports: [{containerPort: 1}, {containerPort: 1}]").OrExit(),
                          Container(), document)
          .ok());
}

TEST(StrategicMerge, Lists_WithoutAMergeKey_AreReplaced) {
  EXPECT_EQ(Merged("args: [a, b]", "args: [c]"), R"({"args":["c"]})");
  EXPECT_EQ(Merged("tolerations: [{key: a}, {key: b}]", "tolerations: [{key: c}]", Spec()),
            R"({"tolerations":[{"key":"c"}]})");
}

TEST(StrategicMerge, SetElementOrder_ThatContradictsItsList_IsRefused) {
  json::Value document = yaml::Parse("env: [{name: A}]").OrExit();
  const json::Value patch =
      yaml::Parse("{env: [{name: B}, {name: C}], $setElementOrder/env: [{name: C}, {name: B}]}")
          .OrExit();
  EXPECT_FALSE(ApplyStrategicMergePatch(patch, Container(), document).ok());
}

}  // namespace
}  // namespace kinformer::apiserver
