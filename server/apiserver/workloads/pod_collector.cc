#include "apiserver/workloads/pod_collector.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "apiserver/workloads/object_parts.h"
#include "apiserver/workloads/pod_status.h"

namespace kinformer::apiserver::workloads {
namespace {

constexpr Duration kQuarantine = std::chrono::seconds(40);
constexpr const char* kJobFinalizer = "batch.kubernetes.io/job-tracking";

// Removes the Job's finalizer from a pod without a Job.
void ReleaseFromJob(const Scene& scene, const json::Value& pod, Plan& plan) {
  const auto& finalizers = pod["metadata"]["finalizers"].items();
  if (std::find(finalizers.begin(), finalizers.end(), json::Value(kJobFinalizer)) ==
      finalizers.end()) {
    return;
  }
  const json::Value& owner = ControllerOf(pod);
  const json::Value* job =
      scene.cluster.Find(Kind::kJob, NamespaceOf(pod), owner["name"].StringOrEmpty());
  if (job != nullptr && UidOf(*job) == owner["uid"].StringOrEmpty()) return;
  json::Value next = pod;
  std::erase(next.Ensure("metadata", "finalizers").EnsureArray(), json::Value(kJobFinalizer));
  plan.Update(Kind::kPod, std::move(next));
}

}  // namespace

void PodCollector::Sync(const Scene& scene, const json::Value& pod, Plan& plan) {
  ReleaseFromJob(scene, pod, plan);
  const std::string& node = Text(pod, "/spec/nodeName");
  if (node.empty()) return;
  if (scene.cluster.Find(Kind::kNode, node) != nullptr) {
    missing_since_.erase(node);
    return;
  }
  const WallTime since = missing_since_.emplace(node, scene.now).first->second;
  if (scene.now < since + kQuarantine) return plan.AgainAt(since + kQuarantine);
  if (!IsPodFinished(pod)) {
    json::Value status = pod["status"];
    status.Set("phase", "Failed");
    SetCondition(status,
                 {.type = "DisruptionTarget",
                  .holds = true,
                  .reason = "DeletionByPodGC",
                  .message = "PodGC: node no longer exists"},
                 scene.now);
    plan.UpdateStatus(Kind::kPod, pod, std::move(status));
  }
  plan.Delete(Kind::kPod, pod, 0);
}

}  // namespace kinformer::apiserver::workloads
