#include "apiserver/workloads/simulated_nodes.h"

#include <utility>

#include "apiserver/registry/object_rules.h"
#include "apiserver/workloads/object_parts.h"

namespace kinformer::apiserver::workloads {
namespace {

// Returns "10.244.7.0/24" for 7, and goes on in 10.245.
std::string PodRange(int index) {
  return "10." + std::to_string(244 - index / 256) + "." + std::to_string(index % 256) + ".0/24";
}

}  // namespace

NodeLife LifeOf(const SimulatedNodes& group, Duration since_start, std::optional<Duration>& next) {
  next.reset();
  if (since_start < group.arrive) {
    next = group.arrive;
    return NodeLife::kExpected;
  }
  if (group.leaves && since_start >= *group.leaves) return NodeLife::kGone;
  const bool dead = group.dies && since_start >= *group.dies &&
                    !(group.recovers && since_start >= *group.recovers);
  for (const auto& time : {group.dies, group.recovers, group.leaves}) {
    if (time && *time > since_start && (!next || *time < *next)) next = time;
  }
  return dead ? NodeLife::kDead : NodeLife::kAlive;
}

json::Value KubeletConditions(WallTime now) {
  struct Row {
    const char* type;
    bool holds;
    const char* reason;
    const char* message;
  };
  constexpr Row kRows[] = {
      {"MemoryPressure", false, "KubeletHasSufficientMemory",
       "kubelet has sufficient memory available"},
      {"DiskPressure", false, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
      {"PIDPressure", false, "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
      {"Ready", true, "KubeletReady", "kubelet is posting ready status"}};
  json::Value conditions = json::Value::MakeArray();
  for (const Row& row : kRows) {
    conditions.Append(json::Value::MakeObject({{"type", row.type},
                                               {"status", row.holds ? "True" : "False"},
                                               {"lastHeartbeatTime", FormatTime(now)},
                                               {"lastTransitionTime", FormatTime(now)},
                                               {"reason", row.reason},
                                               {"message", row.message}}));
  }
  return conditions;
}

NodeTable::NodeTable(const WorkloadScript& script) {
  int index = 0;
  for (const SimulatedNodes& group : script.nodes) {
    for (int i = 1; i <= group.count; ++i) {
      nodes_.emplace(group.name + "-" + std::to_string(i), Entry{.group = &group, .index = index});
      ++index;
    }
  }
}

bool NodeTable::IsAlive(const std::string& name, Duration since_start,
                        std::optional<Duration>& next) const {
  next.reset();
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return false;
  return LifeOf(*found->second.group, since_start, next) == NodeLife::kAlive;
}

json::Value NewNode(const std::string& name, const NodeTable::Entry& entry, WallTime now) {
  json::Value labels = json::Value::MakeObject({{"beta.kubernetes.io/arch", "amd64"},
                                                {"beta.kubernetes.io/os", "linux"},
                                                {"kubernetes.io/arch", "amd64"},
                                                {"kubernetes.io/hostname", name},
                                                {"kubernetes.io/os", "linux"}});
  for (const auto& [key, value] : entry.group->labels) labels.Set(key, value);
  json::Value capacity = json::Value::MakeObject();
  for (const auto& [key, value] : entry.group->capacity) capacity.Set(key, value);
  const std::string range = PodRange(entry.index);
  const std::string address =
      "172.18." + std::to_string(entry.index / 250) + "." + std::to_string(entry.index % 250 + 2);
  return json::Value::MakeObject(
      {{"metadata", json::Value::MakeObject({{"name", name}, {"labels", std::move(labels)}})},
       {"spec", json::Value::MakeObject({{"podCIDR", range},
                                         {"podCIDRs", json::Value::MakeArray({range})},
                                         {"providerID", "simulated://" + name}})},
       {"status",
        json::Value::MakeObject(
            {{"addresses",
              json::Value::MakeArray(
                  {json::Value::MakeObject({{"type", "InternalIP"}, {"address", address}}),
                   json::Value::MakeObject({{"type", "Hostname"}, {"address", name}})})},
             {"allocatable", capacity},
             {"capacity", capacity},
             {"conditions", KubeletConditions(now)},
             {"nodeInfo", json::Value::MakeObject({{"architecture", "amd64"},
                                                   {"bootID", ""},
                                                   {"containerRuntimeVersion", "simulated://1.0.0"},
                                                   {"kernelVersion", "6.1.0"},
                                                   {"kubeProxyVersion", ""},
                                                   {"kubeletVersion", "v1.37.0"},
                                                   {"machineID", ""},
                                                   {"operatingSystem", "linux"},
                                                   {"osImage", "kinformer's simulated node"},
                                                   {"systemUUID", ""}})}})}});
}

}  // namespace kinformer::apiserver::workloads
