#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/internal/descriptor.h"
#include "kinformer/internal/registry.h"
#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "apiserver/request/patch.h"

namespace kinformer::apiserver {
namespace {

// Patches a Pod, both as YAML. Returns the result as JSON, or the code and text of the error.
std::string Patched(std::string_view object, std::string_view patch) {
  json::Value document = yaml::Parse(object).OrExit();
  const Result<void> done = ApplyStrategicMergePatch(
      yaml::Parse(patch).OrExit(), internal::FindType("", "v1", "Pod")->message, document);
  if (done) return document.Dump({.sort_keys = true});
  return std::to_string(done.error().http_status()) + " " + done.error().message();
}

struct Case {
  std::string_view object;
  std::string_view patch;
  std::string_view result;
};

void Expect(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    EXPECT_EQ(Patched(c.object, c.patch), c.result) << c.object << " " << c.patch;
  }
}

TEST(StrategicMergePatch, Patch_ThatDoesNotFitTheType_IsRefused) {
  Expect({
      {"{}", "[]", "400 a merge patch must be an object"},
      {"{}", "a", "400 a merge patch must be an object"},
      {"spec: {nothing: [1]}", "spec: {nothing: [2]}",
       "500 strategic merge patch: k8s.io.api.core.v1.PodSpec has no field \"nothing\""},
      {"spec: {nothing: {}}", "spec: {nothing: {}}",
       "500 strategic merge patch: k8s.io.api.core.v1.PodSpec has no field \"nothing\""},
      {"spec: {nodeName: [1]}", "spec: {nodeName: [2]}",
       "500 strategic merge patch: \"nodeName\" is no list"},
      {"metadata: {labels: {a: {}}}", "metadata: {labels: {a: {}}}",
       "500 strategic merge patch: \"a\" is in a map, where nothing can be merged"},
      {"spec: {nothing: [1]}", "spec: {$deleteFromPrimitiveList/nothing: [1]}",
       "500 strategic merge patch: k8s.io.api.core.v1.PodSpec has no field \"nothing\""},
      {"{}", "$patch: sideways",
       "500 strategic merge patch: unknown $patch directive \"sideways\""},
      {"{}", "$deleteFromPrimitiveList: []",
       "400 strategic merge patch: \"$deleteFromPrimitiveList\" is to be "
       "$deleteFromPrimitiveList/ and the name of a list"},
      {"{}", "$setElementOrder/: []",
       "500 strategic merge patch: k8s.io.api.core.v1.Pod has no field \"\""},
      {"{}", "$setElementOrderx: []",
       "400 strategic merge patch: \"$setElementOrderx\" is to be $setElementOrder/ and the name "
       "of a list"},
      {"{}", "{$retainKeys: {}}",
       "400 strategic merge patch: $retainKeys is to be a list that names all members beside it"},
      {"{}", "{$retainKeys: [kind], spec: {}}",
       "400 strategic merge patch: $retainKeys is to be a list that names all members beside it"},
  });
}

TEST(StrategicMergePatch, Elements_ThatCannotBeMerged_AreRefused) {
  constexpr std::string_view kNoName =
      "500 strategic merge patch: an element lacks its merge key \"name\"";
  constexpr std::string_view kNoKey =
      "500 strategic merge patch: an element lacks its merge key \"\"";
  constexpr std::string_view kMixed =
      "500 strategic merge patch: the elements of a list are not of one type";
  constexpr std::string_view kLists =
      "422 the server rejected our request due to an error in our request: lists of lists are not "
      "supported";
  Expect({
      {"spec: {containers: [{name: a}]}", "spec: {containers: [{image: i}]}", kNoName},
      {"spec: {containers: [{image: i}]}", "spec: {containers: [{name: a}]}", kNoName},
      {"spec: {containers: [{name: a}]}", "spec: {containers: [{image: i, $patch: delete}]}",
       kNoName},
      {"spec: {containers: [{name: a}]}", "spec: {containers: [{$patch: replace}, {image: i}]}",
       kNoName},
      {"spec: {containers: [{name: a}]}", "spec: {containers: [b]}", kMixed},
      {"spec: {containers: [{name: a}, b]}", "spec: {containers: [{name: a}]}", kMixed},
      {"spec: {containers: [null]}", "spec: {containers: [null]}",
       "500 strategic merge patch: an element of a list is null"},
      {"spec: {containers: [[]]}", "spec: {containers: [[]]}", kLists},
      {"metadata: {finalizers: [{}]}", "metadata: {finalizers: [{}]}", kNoKey},
      {"spec: {containers: [{name: a}]}",
       "spec: {containers: [{name: a, ports: 1}, {name: a, ports: {$patch: x}}]}",
       R"({"spec":{"containers":[{"name":"a"}]}})"},
      {"spec: {containers: [{name: a, resources: {}}]}",
       "spec: {containers: [{name: a, resources: {$patch: x}}]}",
       "500 strategic merge patch: unknown $patch directive \"x\""},
      {"metadata: {finalizers: [a]}", "metadata: {$deleteFromPrimitiveList/finalizers: [{}]}",
       kMixed},
  });
}

TEST(StrategicMergePatch, SetElementOrder_ThatDoesNotFitItsList_IsRefused) {
  constexpr std::string_view kLists =
      "500 strategic merge patch: \"containers\" and its $setElementOrder are to be lists";
  constexpr std::string_view kOrder =
      "500 strategic merge patch: the elements of a list are not those of its $setElementOrder, "
      "in that order";
  constexpr std::string_view kNoName =
      "500 strategic merge patch: an element lacks its merge key \"name\"";
  constexpr std::string_view kNoKey =
      "500 strategic merge patch: an element lacks its merge key \"\"";
  Expect({
      {"spec: {}", "spec: {$setElementOrder/containers: {}}", kLists},
      {"spec: {containers: [{name: a}]}", "spec: {$setElementOrder/containers: {}}", kLists},
      {"spec: {containers: [{name: a}]}",
       "spec: {$setElementOrder/containers: [], containers: [{name: b}]}",
       R"({"spec":{"containers":[{"name":"a"},{"name":"b"}]}})"},
      {"spec: {containers: [{name: a}]}",
       "spec: {$setElementOrder/containers: [{name: b}], containers: []}",
       R"({"spec":{"containers":[{"name":"a"}]}})"},
      {"spec: {containers: {}}", "spec: {$setElementOrder/containers: []}", kLists},
      {"spec: {}", "spec: {$setElementOrder/containers: [], containers: {}}", kLists},
      {"spec: {}", "spec: {$setElementOrder/nodeName: []}",
       "500 strategic merge patch: \"nodeName\" is no list"},
      {"spec: {containers: [{name: a}]}",
       "spec: {$setElementOrder/containers: [{name: a}], containers: [{name: a}, {name: b}]}",
       kOrder},
      {"spec: {containers: [{name: a}]}",
       "spec: {$setElementOrder/containers: [{name: a}], containers: [{name: a}, {$patch: "
       "delete, name: b}]}",
       R"({"spec":{"containers":[{"name":"a"}]}})"},
      {"spec: {containers: [{name: a}]}",
       "spec: {$setElementOrder/containers: [{name: b}], containers: [{$patch: replace}, {name: "
       "b}]}",
       R"({"spec":{"containers":[{"name":"b"}]}})"},
      {"spec: {containers: [{name: a}]}",
       "spec: {$setElementOrder/containers: [{x: a}], containers: [{name: a}]}", kNoName},
      {"spec: {containers: [{name: a}]}",
       "spec: {$setElementOrder/containers: [{name: a}], containers: [{x: a}]}", kNoName},
      {"spec: {containers: [{name: a}]}",
       "spec: {$setElementOrder/containers: [a], containers: [{name: a}]}", kNoKey},
      {"metadata: {finalizers: [a]}",
       "metadata: {$setElementOrder/finalizers: [{}], finalizers: [a]}", kNoKey},
      {"spec: {containers: [{name: a}]}", "spec: {$setElementOrder/containers: [{x: a}]}", kNoName},
      {"spec: {containers: [{x: a}]}", "spec: {$setElementOrder/containers: [{name: a}]}", kNoName},
      {"spec: {containers: [null]}", "spec: {$setElementOrder/containers: [{name: a}]}",
       "500 strategic merge patch: an element of a list is null"},
      {"spec: {tolerations: [{key: a}]}", "spec: {$setElementOrder/tolerations: [{key: a}]}",
       kNoKey},
      {"spec: {containers: []}", "spec: {$setElementOrder/containers: [{name: a}]}",
       "500 strategic merge patch: \"containers\" has no elements to order"},
  });
}

TEST(StrategicMergePatch, Lists_AreMergedByTheirTypeAndStrategy) {
  Expect({
      {"spec: {containers: []}", "spec: {containers: []}", R"({"spec":{"containers":[]}})"},
      {"spec: {containers: [{name: a}]}", "spec: {containers: [{$patch: replace}]}",
       R"({"spec":{"containers":[]}})"},
      {"spec: {containers: [{name: a}, {name: c}]}",
       "spec: {containers: [{$patch: replace}, {name: b}]}",
       R"({"spec":{"containers":[{"name":"b"}]}})"},
      {"metadata: {finalizers: [a, b]}", "metadata: {finalizers: [c, a]}",
       R"({"metadata":{"finalizers":["c","a","b"]}})"},
      {"metadata: {finalizers: [a, b]}", "metadata: {finalizers: null}", R"({"metadata":{}})"},
      {"metadata: {finalizers: a}", "metadata: {finalizers: [b]}",
       R"({"metadata":{"finalizers":["b"]}})"},
      {"metadata: {finalizers: [a]}", "metadata: {$deleteFromPrimitiveList/finalizers: null}",
       R"({"metadata":{}})"},
      {"metadata: {finalizers: [a]}", "metadata: {$deleteFromPrimitiveList/finalizers: a}",
       R"({"metadata":{"finalizers":["a"]}})"},
      {"metadata: {finalizers: a}", "metadata: {$deleteFromPrimitiveList/finalizers: [a]}",
       R"({"metadata":{"finalizers":"a"}})"},
      {"metadata: {}", "metadata: {$deleteFromPrimitiveList/finalizers: [a]}",
       R"({"metadata":{}})"},
      {"metadata: {finalizers: []}", "metadata: {$deleteFromPrimitiveList/finalizers: []}",
       R"({"metadata":{"finalizers":[]}})"},
      {"metadata: {finalizers: [a, 1, 1.0]}", "metadata: {finalizers: [b]}",
       "500 strategic merge patch: the elements of a list are not of one type"},
      {"spec: {containers: [{name: a, image: i}, {name: b}]}",
       "spec: {$deleteFromPrimitiveList/containers: [{name: b, $patch: delete}]}",
       R"({"spec":{"containers":[{"image":"i","name":"a"}]}})"},
  });
}

TEST(StrategicMergePatch, NewElements_StandBeforeThoseThatAreNotOrdered) {
  Expect({
      {"spec: {containers: [{name: a}, {name: b}]}",
       "spec: {$setElementOrder/containers: [{name: m}], containers: [{name: m}]}",
       R"({"spec":{"containers":[{"name":"m"},{"name":"a"},{"name":"b"}]}})"},
      {"spec: {containers: [{name: a}, {name: b}]}",
       "spec: {$setElementOrder/containers: [{name: b}, {name: m}], containers: [{name: m}]}",
       R"({"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"m"}]}})"},
      {"spec: {containers: [{name: a}, {name: b}, {name: c}]}",
       "spec: {$setElementOrder/containers: [{name: c}, {name: m}], containers: [{name: a, "
       "$patch: delete}, {name: m}]}",
       R"({"spec":{"containers":[{"name":"b"},{"name":"c"},{"name":"m"}]}})"},
      // The place of a deleted element is that of a new one.
      {"spec: {containers: [{name: a}, {name: b}, {name: c}]}",
       "spec: {$setElementOrder/containers: [{name: m}], containers: [{name: a, $patch: delete}, "
       "{name: m}]}",
       R"({"spec":{"containers":[{"name":"b"},{"name":"c"},{"name":"m"}]}})"},
  });
}

TEST(StrategicMergePatch, NewObjects_AreWithoutNullsAndDirectives) {
  Expect({
      {"{}", "spec: {securityContext: {runAsUser: 1, seLinuxOptions: {$patch: delete}}}",
       R"({"spec":{"securityContext":{"runAsUser":1}}})"},
      {"{}", "spec: {securityContext: {seLinuxOptions: {$patch: delete}, runAsUser: 1}}",
       R"({"spec":{"securityContext":{"runAsUser":1}}})"},
      {"{}", "spec: {a: null, b: {c: null, d: null}, e: [{f: null, g: 1}, null]}",
       R"({"spec":{"b":{},"e":[{"g":1},null]}})"},
  });
}

TEST(StrategicMergePatch, Objects_AreMergedReplacedAndDeleted) {
  Expect({
      {"spec: {nodeName: a, hostIPC: true}", "spec: {nodeName: b}",
       R"({"spec":{"hostIPC":true,"nodeName":"b"}})"},
      {"spec: {nodeName: a, hostIPC: true}", "spec: {nodeName: null}",
       R"({"spec":{"hostIPC":true}})"},
      {"spec: {nodeName: a}", "spec: {$patch: delete}", R"({"spec":{}})"},
      {"spec: {nodeName: a}", "spec: {$patch: replace, hostIPC: true}",
       R"({"spec":{"hostIPC":true}})"},
      {"{spec: 1, kind: Pod}", "spec: {$patch: delete}", R"({"kind":"Pod"})"},
      {"spec: 1", "spec: {nodeName: a, hostIPC: null}", R"({"spec":{"nodeName":"a"}})"},
      {"spec: {nodeName: a}", "spec: 1", R"({"spec":1})"},
      {"a", "kind: Pod", R"({"kind":"Pod"})"},
      {"metadata: {labels: {a: x}}", "metadata: {labels: {b: z, a: null}}",
       R"({"metadata":{"labels":{"b":"z"}}})"},
      {"spec: {strategy: {}, nodeName: a}",
       "spec: {$retainKeys: [nodeName], $setElementOrder/containers: [], hostIPC: null}",
       R"({"spec":{"nodeName":"a"}})"},
      {"spec: {nodeName: a, hostIPC: true}",
       "spec: {$retainKeys: [nodeName], $deleteFromPrimitiveList/containers: []}",
       R"({"spec":{"nodeName":"a"}})"},
      {"spec: {volumes: [{name: v, emptyDir: {}}]}",
       "spec: {volumes: [{$retainKeys: [name, hostPath], name: v, hostPath: {path: /}}]}",
       R"({"spec":{"volumes":[{"hostPath":{"path":"/"},"name":"v"}]}})"},
  });
}

}  // namespace
}  // namespace kinformer::apiserver
