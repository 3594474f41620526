// cli/pod_log_streams.h
//
// Follows the logs of one pod's containers, with no right but to get the pod and its logs.

#ifndef KINFORMER_CLI_POD_LOG_STREAMS_H_
#define KINFORMER_CLI_POD_LOG_STREAMS_H_

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/result.h"
#include "kinformer/client/client.h"

#include "cli/log_follower.h"
#include "cli/log_stream.h"

namespace kinformer::cli {

// Follows the instances that run now, each with a LogStream, until all have ended or `stop` is
// requested. Returns the first error, after which the others still go on. Blocks; not for the loop.
Result<void> FollowPodLogs(const Client& client, const corev1::Pod& pod,
                           const std::vector<std::string>& containers,
                           const corev1::PodLogOptionsMutable& options,
                           const std::function<bool(const LogRecord& record)>& on_line,
                           const std::function<void(const LogNotice& notice)>& on_notice,
                           const std::stop_token& stop);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_POD_LOG_STREAMS_H_
