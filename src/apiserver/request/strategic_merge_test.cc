#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "kinformer/json.h"
#include "kinformer/yaml.h"

#include "apiserver/request/patch.h"

namespace kinformer::apiserver {
namespace {

// What the patch makes of the object, all as YAML, as JSON.
std::string Merged(std::string_view object, std::string_view patch) {
  json::Value document = yaml::Parse(object).OrExit();
  ApplyStrategicMergePatch(yaml::Parse(patch).OrExit(), document).OrExit();
  return document.Dump({.sort_keys = true});
}

std::string Applied(std::string_view object, std::string_view declared) {
  json::Value document = yaml::Parse(object).OrExit();
  ApplyDeclaredObject(yaml::Parse(declared).OrExit(), document).OrExit();
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
             "topologySpreadConstraints: [{topologyKey: z, maxSkew: 2}]"),
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
  EXPECT_EQ(Merged("{}", "{a: {$patch: delete}, b: {c: {$patch: replace, d: 1}, e: null}}"),
            R"({"b":{}})");
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
                          document)
          .ok());
}

}  // namespace
}  // namespace kinformer::apiserver
