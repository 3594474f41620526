// kinformer/client/pod_logs.h
//
// Logs of a pod's containers: as a request, or line by line.
//
//   const auto pods = client.For<corev1::Pod>("default");
//   corev1::PodLogOptions::Mutable options;
//   options.tailLines = 100;
//   std::string text = GetLogs(pods, "web-0", options).Do().OrExit().body;
//   options.follow = true;
//   Result<void> end = StreamLogLines(pods, "web-0", {"app", "proxy"}, options,
//       [](const LogLine& line) {
//         std::cout << line.container << ": " << line.text << '\n';
//         return true;
//       });

#ifndef KINFORMER_CLIENT_POD_LOGS_H_
#define KINFORMER_CLIENT_POD_LOGS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/result.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/client/rest_request.h"

namespace kinformer {

// Returns the request for the log of a container. Do() reads the log as a whole, Stream() as it
// grows. Without options.container the pod must have one container. Counterpart:
// clientset.CoreV1().Pods(ns).GetLogs(name, options).
[[nodiscard]] RestRequest GetLogs(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                                  const corev1::PodLogOptions::Mutable& options = {});

// A line of a container's log. The views are valid during the call.
struct LogLine {
  std::string_view container;  // empty: the one container of the pod
  // Without the end of the line. A line of more than a megabyte comes in pieces.
  std::string_view text;
};

// Calls `on_line` for each line until it returns false or the logs end, never twice at a time. With
// options.follow, the logs of all `containers` are read at once, each with a thread of its own, and
// the calls come from these threads; otherwise one after the other. `containers` empty: the one
// that options.container names, or the one that the pod has. A slow `on_line` makes the server
// wait, and nothing is lost. Blocks until all logs have ended. The first error ends them all, as an
// exception of `on_line` does, which passes through. Counterpart: kubectl logs --all-containers.
Result<void> StreamLogLines(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                            const std::vector<std::string>& containers,
                            const corev1::PodLogOptions::Mutable& options,
                            const std::function<bool(const LogLine& line)>& on_line,
                            const CallOptions& call = {});

// Returns the names of the containers that have logs: init containers first, then the others, then
// ephemeral ones.
[[nodiscard]] std::vector<std::string> LogContainers(const corev1::Pod& pod);

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_POD_LOGS_H_
