#include <algorithm>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <string_view>

#include "kinformer/internal/descriptor.h"
#include "kinformer/internal/registry.h"
#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "apiserver/request/patch.h"

namespace kinformer::apiserver {
namespace {

using internal::MessageDescriptor;

// Returns the type at a path of a Pod.
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

// Applies a patch to an object, both as YAML, and returns the result as JSON.
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

// As in strategicpatch of k8s.io/apimachinery, even if one might expect something else.
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
  EXPECT_EQ(Merged("hostAliases: [{ip: i, hostnames: [a]}, {ip: i, hostnames: [b]}]",
                   "hostAliases: [{ip: i, hostnames: [c]}]", Spec()),
            R"({"hostAliases":[{"hostnames":["c"],"ip":"i"},{"hostnames":["b"],"ip":"i"}]})");
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

// A merge patch drops nulls in new values, also within lists, in contrast to RFC 7386.
TEST(MergePatch, Nulls_InWhatIsNew_AreLeftOut) {
  const auto merged = [](std::string_view object, std::string_view patch) {
    json::Value document = yaml::Parse(object).OrExit();
    ApplyMergePatch(yaml::Parse(patch).OrExit(), document).OrExit();
    return document.Dump({.sort_keys = true});
  };
  EXPECT_EQ(merged("{}", "{a: [{b: null, c: 1}, null], d: {e: null}}"),
            R"({"a":[{"c":1},null],"d":{}})");
  EXPECT_EQ(merged("a: [1]", "a: [{b: null}]"), R"({"a":[{}]})");
  EXPECT_EQ(merged("a: {}", "a: [{b: null}]"), R"({"a":[{"b":null}]})");
  EXPECT_EQ(merged("{a: {b: 1, c: 2}, d: 3}", "{a: {b: null}, d: null}"), R"({"a":{"c":2}})");
}

// Two ports may have the same number with different protocols.
TEST(StrategicMerge, Apply_TellsPortsApartByTheirProtocol) {
  EXPECT_EQ(Applied(kDns,
                    "ports: [{containerPort: 53, name: t}, {containerPort: 53, name: u, "
                    "protocol: UDP}]"),
            R"({"ports":[{"containerPort":53,"name":"t","protocol":"TCP"},)"
            R"({"containerPort":80,"name":"web"},)"
            R"({"containerPort":53,"name":"u","protocol":"UDP"}]})");
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

// Returns the code with which a patch, by default of a container, is refused; 0: it is not.
int Refused(std::string_view object, std::string_view patch,
            const MessageDescriptor* type = Container()) {
  json::Value document = yaml::Parse(object).OrExit();
  const Result<void> done = ApplyStrategicMergePatch(yaml::Parse(patch).OrExit(), type, document);
  return done ? 0 : done.error().http_status();
}

TEST(StrategicMerge, SetElementOrder_ThatContradictsItsList_IsRefused) {
  EXPECT_EQ(Refused("env: [{name: A}]",
                    "{env: [{name: B}, {name: C}], $setElementOrder/env: [{name: C}, {name: B}]}"),
            500);
  EXPECT_EQ(Refused("{}", "{env: [{name: B}], $setElementOrder/env: [{name: C}]}"), 500);
  EXPECT_EQ(Refused("{}", "{env: null, $setElementOrder/env: [{name: C}]}"), 500);
  EXPECT_EQ(Refused("{}", "{env: [], $setElementOrder/env: [{name: C}]}"), 500);
  EXPECT_EQ(Refused("{}",
                    "{env: [{name: B}, {name: X, $patch: delete}], $setElementOrder/env: "
                    "[{name: A}, {name: B}]}"),
            0);
}

TEST(StrategicMerge, SetElementOrder_OfAListThatIsNew_KeepsWhatIsSent) {
  EXPECT_EQ(Merged("{}",
                   "{env: [{name: B, value: null}, {name: X, $patch: delete}, {name: A}], "
                   "$setElementOrder/env: [{name: B}, {name: C}, {name: A}]}"),
            R"({"env":[{"name":"B"},{"name":"A"}]})");
  EXPECT_EQ(Merged("{}", "{args: [b, a], $setElementOrder/args: [b, a]}"), R"({"args":["b","a"]})");
  EXPECT_EQ(Merged("{}", "{finalizers: [b, a], $setElementOrder/finalizers: [b, a]}",
                   TypeAt({"metadata"})),
            R"({"finalizers":["b","a"]})");
}

TEST(StrategicMerge, SetElementOrder_OfAListThatIsNeitherThereNorSent_MakesNone) {
  EXPECT_EQ(Merged("{}", "$setElementOrder/env: [{name: A}]"), "{}");
}

TEST(StrategicMerge, SetElementOrder_OfAListWithoutAMergeKey_ReplacesIt) {
  EXPECT_EQ(Merged("args: [x, a]", "{args: [b, a], $setElementOrder/args: [b, a]}"),
            R"({"args":["b","a"]})");
}

TEST(StrategicMerge, Directives_ThatAreMalformed_AreRefused) {
  EXPECT_EQ(Refused("{}", "$patch: sideways"), 500);
  EXPECT_EQ(Refused("env: [{name: A}]", "env: [{name: A, $patch: merge}]"), 500);
  EXPECT_EQ(Refused("env: [{name: A}]", "env: [{value: A}]"), 500);
  EXPECT_EQ(Refused("env: [{name: A}]", "env: [A]"), 500);
  EXPECT_EQ(Refused("{}", "{$retainKeys: [image], image: i, name: n}"), 400);
  EXPECT_EQ(Refused("{}", "{$setElementOrder: []}"), 400);
  EXPECT_EQ(Refused("{}", "{$setElementOrder/nothing: []}"), 500);
  EXPECT_EQ(Refused("{}", "{$deleteFromPrimitiveListargs: []}"), 400);
}

TEST(StrategicMerge, RetainKeys_KeepsWhatItNames) {
  EXPECT_EQ(Merged("{image: i, name: n, args: [a]}", "{$retainKeys: [image, name], name: m}"),
            R"({"image":"i","name":"m"})");
}

TEST(StrategicMerge, DeleteFromPrimitiveList_ComesAfterAnOrderAndBeforeTheRest) {
  const MessageDescriptor* const metadata = TypeAt({"metadata"});
  EXPECT_EQ(Merged("finalizers: [a, b]",
                   "{finalizers: [c], $deleteFromPrimitiveList/finalizers: [a, c], "
                   "$setElementOrder/finalizers: [c, b]}",
                   metadata),
            R"({"finalizers":["b"]})");
  EXPECT_EQ(Merged("finalizers: [a, b]", "$deleteFromPrimitiveList/finalizers: [a]", metadata),
            R"({"finalizers":["b"]})");
  EXPECT_EQ(Merged("args: [a, b, a]", "$deleteFromPrimitiveList/args: [a]"), R"({"args":["b"]})");
}

// The type decides, not the name: lists of the same name merge in one type, and not in another.
TEST(StrategicMerge, Lists_OfOneName_GoByTheirType) {
  const auto type = [](std::string_view group, std::string_view kind) {
    return internal::FindType(group, "v1", kind)->message;
  };
  EXPECT_EQ(Merged("imagePullSecrets: [{name: a}]", "imagePullSecrets: [{name: b}]",
                   type("", "ServiceAccount")),
            R"({"imagePullSecrets":[{"name":"b"}]})");
  EXPECT_EQ(Merged("imagePullSecrets: [{name: a}]", "imagePullSecrets: [{name: b}]", Spec()),
            R"({"imagePullSecrets":[{"name":"b"},{"name":"a"}]})");
  EXPECT_EQ(
      Merged("ports: [{port: 1}]", "ports: [{port: 2}]", type("discovery.k8s.io", "EndpointSlice")),
      R"({"ports":[{"port":2}]})");
  EXPECT_EQ(Merged("spec: {ports: [{port: 53, name: a}, {port: 53, name: b}]}",
                   "spec: {ports: [{port: 53, name: c}]}", type("", "Service")),
            R"({"spec":{"ports":[{"name":"c","port":53},{"name":"b","port":53}]}})");
}

}  // namespace
}  // namespace kinformer::apiserver
