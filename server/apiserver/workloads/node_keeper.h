// apiserver/workloads/node_keeper.h
//
// NodeKeeper: what the kubelets of simulated nodes write about their nodes: Node and Lease.

#ifndef KINFORMER_APISERVER_WORKLOADS_NODE_KEEPER_H_
#define KINFORMER_APISERVER_WORKLOADS_NODE_KEEPER_H_

#include <set>
#include <string>

#include "apiserver/workloads/plan.h"
#include "apiserver/workloads/simulated_nodes.h"

namespace kinformer::apiserver::workloads {

// Registers nodes when they arrive, renews their leases every ten seconds and the heartbeats of
// their conditions every five minutes, and deletes nodes that leave. A Node that a client deletes
// does not come back. Loop-confined.
class NodeKeeper {
 public:
  explicit NodeKeeper(const NodeTable& nodes) : nodes_(nodes) {}
  // Does nothing for a node that is not the script's.
  void Sync(const Scene& scene, const std::string& name, Plan& plan);

 private:
  const NodeTable& nodes_;
  std::set<std::string> registered_;
  std::set<std::string> left_;
};

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_NODE_KEEPER_H_
