// apiserver/workloads/kubelet.h
//
// Kubelets: the kubelets of all simulated nodes, as far as pods are concerned.

#ifndef KINFORMER_APISERVER_WORKLOADS_KUBELET_H_
#define KINFORMER_APISERVER_WORKLOADS_KUBELET_H_

#include <map>
#include <string>

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"
#include "apiserver/workloads/pod_run.h"
#include "apiserver/workloads/simulated_nodes.h"

namespace kinformer::apiserver::workloads {

// Runs pods that are bound to a node of the script while that node lives: starts and restarts their
// containers, reports their status, and stops and removes deleted ones. Loop-confined.
class Kubelets {
 public:
  explicit Kubelets(const NodeTable& nodes) : nodes_(nodes) {}
  void Sync(const Scene& scene, const json::Value& pod, Plan& plan);
  // The pod is gone.
  void Forget(const std::string& uid) { runs_.erase(uid); }

 private:
  void GiveAddress(const Scene& scene, const json::Value& node, const json::Value& pod,
                   PodRun& run);
  void Terminate(const Scene& scene, const json::Value& pod, PodRun& run,
                 const std::string& host_ip, Plan& plan);

  const NodeTable& nodes_;
  std::map<std::string, PodRun> runs_;         // by uid
  std::map<std::string, int> last_addresses_;  // by node
};

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_KUBELET_H_
