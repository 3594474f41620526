// apiserver/workloads/simulated_nodes.h
//
// NodeTable: the nodes of a script, and whether each of them lives at a time.

#ifndef KINFORMER_APISERVER_WORKLOADS_SIMULATED_NODES_H_
#define KINFORMER_APISERVER_WORKLOADS_SIMULATED_NODES_H_

#include <map>
#include <optional>
#include <string>

#include "kinformer/apiserver/workload_script.h"
#include "kinformer/base/env.h"
#include "kinformer/json/json.h"

namespace kinformer::apiserver::workloads {

enum class NodeLife : std::uint8_t {
  kExpected,  // has not arrived
  kAlive,
  kDead,  // does not answer
  kGone,  // has left
};

// Returns the state of a node of the group; `next`: the time of its next change, if there is one.
[[nodiscard]] NodeLife LifeOf(const SimulatedNodes& group, Duration since_start,
                              std::optional<Duration>& next);

// Immutable; refers to the script.
class NodeTable {
 public:
  explicit NodeTable(const WorkloadScript& script);

  struct Entry {
    const SimulatedNodes* group = nullptr;
    int index = 0;  // among all nodes of the script
  };
  // By name.
  [[nodiscard]] const std::map<std::string, Entry>& all() const { return nodes_; }
  // Returns whether the script has this node, and it lives at that time. `next`: as above.
  [[nodiscard]] bool IsAlive(const std::string& name, Duration since_start,
                             std::optional<Duration>& next) const;

 private:
  std::map<std::string, Entry> nodes_;
};

// Returns the conditions that a living kubelet reports.
[[nodiscard]] json::Value KubeletConditions(WallTime now);

// Returns the Node with which a kubelet registers.
[[nodiscard]] json::Value NewNode(const std::string& name, const NodeTable::Entry& entry,
                                  WallTime now);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_SIMULATED_NODES_H_
