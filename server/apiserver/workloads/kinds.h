// apiserver/workloads/kinds.h
//
// Kind: the kinds of objects that the simulated workloads read or write.

#ifndef KINFORMER_APISERVER_WORKLOADS_KINDS_H_
#define KINFORMER_APISERVER_WORKLOADS_KINDS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kinformer::apiserver::workloads {

enum class Kind : std::uint8_t {
  kNode,
  kPod,
  kReplicaSet,
  kDeployment,
  kStatefulSet,
  kDaemonSet,
  kRevision,
  kJob,
  kCronJob,
  kService,
  kEndpointSlice,
  kVolumeClaim,
  kVolume,
  kStorageClass,
  kAutoscaler,
  kLease,
  kEvent,  // only written
};

struct KindNames {
  std::string_view group{};
  std::string_view version{};
  std::string_view plural{};
  std::string_view kind{};
};

// In the order of Kind.
inline constexpr auto kKindNames = std::to_array<KindNames>({
    {"", "v1", "nodes", "Node"},
    {"", "v1", "pods", "Pod"},
    {"apps", "v1", "replicasets", "ReplicaSet"},
    {"apps", "v1", "deployments", "Deployment"},
    {"apps", "v1", "statefulsets", "StatefulSet"},
    {"apps", "v1", "daemonsets", "DaemonSet"},
    {"apps", "v1", "controllerrevisions", "ControllerRevision"},
    {"batch", "v1", "jobs", "Job"},
    {"batch", "v1", "cronjobs", "CronJob"},
    {"", "v1", "services", "Service"},
    {"discovery.k8s.io", "v1", "endpointslices", "EndpointSlice"},
    {"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"},
    {"", "v1", "persistentvolumes", "PersistentVolume"},
    {"storage.k8s.io", "v1", "storageclasses", "StorageClass"},
    {"autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler"},
    {"coordination.k8s.io", "v1", "leases", "Lease"},
    {"", "v1", "events", "Event"},
});

inline constexpr std::size_t kKinds = kKindNames.size();

[[nodiscard]] constexpr const KindNames& NamesOf(Kind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

// Returns the kind of that name; empty if it is none of these.
[[nodiscard]] constexpr std::optional<Kind> KindNamed(std::string_view name) {
  for (std::size_t i = 0; i < kKinds; ++i) {
    if (kKindNames[i].kind == name) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_KINDS_H_
