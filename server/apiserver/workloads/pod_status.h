// apiserver/workloads/pod_status.h
//
// PodStatusOf: the status that a kubelet reports of a pod.

#ifndef KINFORMER_APISERVER_WORKLOADS_POD_STATUS_H_
#define KINFORMER_APISERVER_WORKLOADS_POD_STATUS_H_

#include <string>
#include <string_view>

#include "kinformer/json/json.h"

#include "apiserver/workloads/pod_run.h"

namespace kinformer::apiserver::workloads {

// Returns the new status. Members that are not the kubelet's stay as they are in the pod.
[[nodiscard]] json::Value PodStatusOf(const json::Value& pod, const PodRun& run,
                                      const std::string& host_ip, WallTime now);

// ---- Facts that other controllers read from a pod.
[[nodiscard]] bool IsPodReady(const json::Value& pod);
// In the phases Succeeded and Failed.
[[nodiscard]] bool IsPodFinished(const json::Value& pod);
// Neither finished nor being deleted.
[[nodiscard]] bool IsPodActive(const json::Value& pod);
// Ready for that long. `again`, if it is ready, but not so long: how long it still takes.
[[nodiscard]] bool IsPodAvailable(const json::Value& pod, std::int64_t min_ready_seconds,
                                  WallTime now, std::optional<Duration>& again);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_POD_STATUS_H_
