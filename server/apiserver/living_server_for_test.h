// apiserver/living_server_for_test.h
//
// LivingServer: a server with simulated workloads in simulated time.

#ifndef KINFORMER_APISERVER_LIVING_SERVER_FOR_TEST_H_
#define KINFORMER_APISERVER_LIVING_SERVER_FOR_TEST_H_

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/apiserver/workload_script.h"
#include "kinformer/json/yaml.h"

#include "apiserver/testing.h"
#include "apiserver/workloads/kinds.h"
#include "apiserver/workloads/object_parts.h"

namespace kinformer::apiserver::workloads {

class LivingServer {
 public:
  // `script`: YAML of a script.
  explicit LivingServer(std::string_view script = "seed: 1\n", ApiServerOptions options = {})
      : server_(With(script, std::move(options))) {}

  void Load(std::string_view yaml) {
    const auto loaded = server_.server().Load(yaml, {.keep_status = false});
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  }
  // Returns null if there is no such object. `name`: in the namespace default.
  [[nodiscard]] json::Value Get(Kind kind, const std::string& name) {
    const auto found = server_.server().Get(ResourceOf(kind), NameFor(kind, name));
    return found ? *found : json::Value();
  }
  [[nodiscard]] std::vector<json::Value> All(Kind kind) {
    return server_.server().List(ResourceOf(kind)).OrExit();
  }
  // Returns the pods whose names begin with `prefix`.
  [[nodiscard]] std::vector<json::Value> Pods(std::string_view prefix) {
    std::vector<json::Value> out;
    for (json::Value& pod : All(Kind::kPod)) {
      if (NameOf(pod).starts_with(prefix)) out.push_back(std::move(pod));
    }
    return out;
  }
  [[nodiscard]] std::vector<std::string> PodNames(std::string_view prefix) {
    std::vector<std::string> out;
    for (const json::Value& pod : Pods(prefix)) out.push_back(NameOf(pod));
    return out;
  }
  // Applies a JSON merge patch, in YAML.
  void Patch(Kind kind, const std::string& name, std::string_view yaml) {
    const auto patched = server_.server().Patch(ResourceOf(kind), NameFor(kind, name),
                                                yaml::Parse(yaml).OrExit(), {.keep_status = false});
    ASSERT_TRUE(patched.ok()) << patched.error().message();
  }
  void Delete(Kind kind, const std::string& name) {
    ASSERT_TRUE(server_.server().Delete(ResourceOf(kind), NameFor(kind, name)).ok()) << name;
  }
  [[nodiscard]] bool Until(const std::function<bool()>& done,
                           Duration limit = std::chrono::minutes(10)) {
    return server_.sim().RunUntil(done, limit);
  }
  void RunFor(Duration duration) { server_.sim().RunFor(duration); }
  // Returns the time since the server's start.
  [[nodiscard]] Duration Now() { return server_.sim().env().WallNow() - start_; }
  [[nodiscard]] testing::TestServer& server() { return server_; }

 private:
  static ApiServerOptions With(std::string_view script, ApiServerOptions options) {
    options.simulate_workloads =
        std::make_shared<const WorkloadScript>(ParseWorkloadScript(script, "script.yaml").OrExit());
    return options;
  }
  static GroupVersionResource ResourceOf(Kind kind) {
    const KindNames& names = NamesOf(kind);
    return {.group = std::string(names.group),
            .version = std::string(names.version),
            .resource = std::string(names.plural)};
  }
  static ObjectName NameFor(Kind kind, const std::string& name) {
    const bool cluster = kind == Kind::kNode || kind == Kind::kVolume;
    return {.namespace_ = cluster ? "" : "default", .name = name};
  }

  testing::TestServer server_;
  const WallTime start_ = server_.sim().env().WallNow();
};

// Returns a Deployment of that image, with the label app=NAME.
inline std::string DeploymentYaml(const std::string& name, int replicas, const std::string& image,
                                  const std::string& more = {}) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name +
         "}\nspec:\n  replicas: " + std::to_string(replicas) + "\n" + more +
         "  selector: {matchLabels: {app: " + name +
         "}}\n  template:\n    metadata: {labels: {app: " + name +
         "}}\n    spec: {containers: [{name: main, image: " + image + "}]}\n";
}

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_LIVING_SERVER_FOR_TEST_H_
