// apiserver/workloads/pod_collector.h
//
// PodCollector: removes pods that nobody else would remove, as the pod garbage collector of
// kube-controller-manager does.

#ifndef KINFORMER_APISERVER_WORKLOADS_POD_COLLECTOR_H_
#define KINFORMER_APISERVER_WORKLOADS_POD_COLLECTOR_H_

#include <map>
#include <string>

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

// Removes pods whose node has been missing for 40 seconds, and the finalizers of pods whose Job is
// gone. Loop-confined.
class PodCollector {
 public:
  void Sync(const Scene& scene, const json::Value& pod, Plan& plan);

 private:
  std::map<std::string, WallTime> missing_since_;  // by node
};

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_POD_COLLECTOR_H_
