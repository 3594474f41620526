// apiserver/workloads/scene_for_test.h
//
// SceneForTest: objects that a test puts together for one controller, without a server.

#ifndef KINFORMER_APISERVER_WORKLOADS_SCENE_FOR_TEST_H_
#define KINFORMER_APISERVER_WORKLOADS_SCENE_FOR_TEST_H_

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/workloads/object_parts.h"
#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

class SceneForTest {
 public:
  // Puts an object, in YAML, with its name as uid.
  const json::Value& Put(Kind kind, std::string_view yaml) {
    json::Value object = yaml::Parse(yaml).OrExit();
    if (UidOf(object).empty()) {
      object.Ensure("metadata", "uid") = std::string(NamesOf(kind).kind) + "-" + NameOf(object);
    }
    const std::string key = KeyOf(object);
    cluster.Put(kind, std::move(object));
    return *cluster.Find(kind, key);
  }
  [[nodiscard]] Scene scene() {
    return {.cluster = cluster, .script = script, .dice = dice, .now = now, .start = WallTime()};
  }

  // Returns the writes of a plan but events, as "create Pod a", "status Pod a".
  static std::vector<std::string> Writes(const Plan& plan) {
    std::vector<std::string> out;
    for (const PlannedWrite& write : plan.writes()) {
      if (write.kind == Kind::kEvent) continue;
      constexpr const char* kVerbs[] = {"create", "update", "status", "delete"};
      out.push_back(std::string(kVerbs[static_cast<int>(write.verb)]) + " " +
                    std::string(NamesOf(write.kind).kind) + " " + NameOf(write.object));
    }
    return out;
  }
  // Returns the first write of that kind; a null object if there is none.
  static json::Value Written(const Plan& plan, Verb verb, Kind kind) {
    for (const PlannedWrite& write : plan.writes()) {
      if (write.verb == verb && write.kind == kind) return write.object;
    }
    return {};
  }

  Cluster cluster{};
  WorkloadScript script{};
  Dice dice{1};
  WallTime now{std::chrono::hours(1)};
};

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_SCENE_FOR_TEST_H_
