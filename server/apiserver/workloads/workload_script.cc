#include "kinformer/apiserver/workload_script.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "kinformer/json/yaml.h"

#include "apiserver/workloads/script_reader.h"
#include "base/text/number_in.h"

namespace kinformer::apiserver {
namespace {

using workloads::ScriptReader;
using workloads::ScriptText;

// The addresses of a node's pods are those of a /24.
constexpr std::int64_t kMostPods = 250;
constexpr std::int64_t kMostNodes = 5000;

SimulatedNodes NodesOf(ScriptText& text, const json::Value& item, const std::string& path) {
  SimulatedNodes nodes;
  ScriptReader reader(
      text, item, path,
      {"name", "count", "labels", "capacity", "arrive", "dies", "recovers", "leaves"});
  reader.Text("name", nodes.name);
  reader.Number("count", 1, kMostNodes, nodes.count);
  reader.Map("labels", /*quantities=*/false, nodes.labels);
  reader.Map("capacity", /*quantities=*/true, nodes.capacity);
  const auto pods = nodes.capacity.find("pods");
  const auto most = pods == nodes.capacity.end() ? std::optional<std::int64_t>(kMostPods)
                                                 : internal::base::NumberIn(pods->second);
  if (!most || *most < 0 || *most > kMostPods) {
    reader.Fail("capacity.pods", "must be a whole number from 0 to 250");
  }
  reader.Time("arrive", nodes.arrive);
  reader.Time("dies", nodes.dies);
  reader.Time("recovers", nodes.recovers);
  reader.Time("leaves", nodes.leaves);
  if (nodes.recovers && (!nodes.dies || *nodes.recovers <= *nodes.dies)) {
    reader.Fail("recovers", "must be after dies, which must be there");
  }
  if (nodes.dies && *nodes.dies <= nodes.arrive) reader.Fail("dies", "must be after arrive");
  if (nodes.leaves && *nodes.leaves <= nodes.arrive) reader.Fail("leaves", "must be after arrive");
  return nodes;
}

SimulatedCrash CrashOf(ScriptText& text, const json::Value& item, const std::string& path) {
  SimulatedCrash crash;
  ScriptReader reader(text, item, path, {"after", "probability", "exitCode", "times"});
  reader.Range("after", crash.after);
  reader.Probability("probability", crash.probability);
  reader.Number("exitCode", 1, 255, crash.exit_code);
  int times = -1;
  reader.Number("times", 1, 1'000'000, times);
  if (times > 0) crash.times = times;
  return crash;
}

PodBehaviour BehaviourOf(ScriptText& text, const json::Value& item, const std::string& path) {
  PodBehaviour pods;
  ScriptReader reader(text, item, path,
                      {"match", "startDelay", "readyDelay", "stopDelay", "runsFor", "exitCode",
                       "neverReady", "imagePullFails", "crash"});
  reader.Inner("match", [&](const json::Value& match, const std::string& at) {
    ScriptReader matched(text, match, at, {"namespace", "selector", "image"});
    matched.Text("namespace", pods.namespace_);
    matched.Selector("selector", pods.selector);
    matched.Text("image", pods.image);
  });
  reader.Range("startDelay", pods.start_delay);
  reader.Range("readyDelay", pods.ready_delay);
  reader.Range("stopDelay", pods.stop_delay);
  if (!item["runsFor"].is_null()) reader.Range("runsFor", pods.runs_for.emplace());
  reader.Number("exitCode", 0, 255, pods.exit_code);
  reader.Flag("neverReady", pods.never_ready);
  reader.Flag("imagePullFails", pods.image_pull_fails);
  reader.Inner("crash", [&](const json::Value& crash, const std::string& at) {
    pods.crash = CrashOf(text, crash, at);
  });
  return pods;
}

WorkloadLoad LoadOf(ScriptText& text, const json::Value& item, const std::string& path) {
  WorkloadLoad load;
  load.target.namespace_ = "default";
  ScriptReader reader(text, item, path, {"kind", "namespace", "name", "steps"});
  reader.Text("kind", load.kind);
  if (load.kind != "Deployment" && load.kind != "ReplicaSet" && load.kind != "StatefulSet") {
    reader.Fail("kind", "must be Deployment, ReplicaSet or StatefulSet");
  }
  reader.Text("namespace", load.target.namespace_);
  reader.Text("name", load.target.name);
  if (load.target.name.empty()) reader.Fail("name", "is missing: it names the workload");
  reader.List("steps", [&](const json::Value& step, const std::string& at) {
    LoadStep& made = load.steps.emplace_back();
    ScriptReader inner(text, step, at, {"at", "usage"});
    inner.Time("at", made.at);
    inner.Map("usage", /*quantities=*/true, made.usage);
  });
  std::stable_sort(load.steps.begin(), load.steps.end(),
                   [](const LoadStep& a, const LoadStep& b) { return a.at < b.at; });
  return load;
}

}  // namespace

Result<WorkloadScript> ParseWorkloadScript(std::string_view yaml, std::string_view file) {
  const auto parsed = yaml::Parse(yaml, file);
  if (!parsed) return Error(Reason::kConfig, parsed.error().message());
  ScriptText text{.yaml = yaml, .file = file};
  WorkloadScript script;
  ScriptReader reader(text, *parsed, "", {"seed", "nodes", "pods", "claimDelay", "loads"});
  std::int64_t seed = 1;
  reader.Number("seed", 0, std::numeric_limits<std::int64_t>::max(), seed);
  script.seed = static_cast<std::uint64_t>(seed);
  if (!(*parsed)["nodes"].is_null()) script.nodes.clear();
  std::set<std::string> names;
  reader.List("nodes", [&](const json::Value& item, const std::string& path) {
    script.nodes.push_back(NodesOf(text, item, path));
    if (!names.insert(script.nodes.back().name).second) {
      text.Fail(path + ".name", "is the name of an earlier group: give each group its own");
    }
  });
  reader.List("pods", [&](const json::Value& item, const std::string& path) {
    script.pods.push_back(BehaviourOf(text, item, path));
  });
  reader.Range("claimDelay", script.claim_delay);
  reader.List("loads", [&](const json::Value& item, const std::string& path) {
    script.loads.push_back(LoadOf(text, item, path));
  });
  if (text.mistake) return *std::move(text.mistake);
  return script;
}

}  // namespace kinformer::apiserver
