// config/exec_plugin.h
//
// Runs a credential plugin once: the ExecCredential protocol of client.authentication.k8s.io.

#ifndef KINFORMER_CONFIG_EXEC_PLUGIN_H_
#define KINFORMER_CONFIG_EXEC_PLUGIN_H_

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/config.h"
#include "kinformer/client/http_transport.h"

#include "config/exec_cluster.h"

namespace kinformer::internal::config {

struct ExecAnswer {
  Credentials credentials{};
  std::optional<WallTime> expires{};  // none: valid for the life of the process
};

// Returns the time, limited to the range of WallTime.
[[nodiscard]] WallTime SaturatedTime(std::int64_t seconds, std::int64_t nanos);

// Whether the plugin may use the terminal, by its interactiveMode. kConfig "standard input is not a
// terminal" or "is unavailable" if it needs one and there is none.
Result<bool> ExecInteractive(const ExecConfig& exec, bool stdin_is_terminal);

// Returns the value of KUBERNETES_EXEC_INFO.
std::string ExecInfoJson(const ExecConfig& exec, const ExecCluster& cluster, bool interactive);

// Parses the text that the plugin wrote to stdout.
Result<ExecAnswer> ParseExecAnswer(const ExecConfig& exec, const std::string& text);

// Runs the plugin and reads its answer. Blocks up to exec.timeout, or until `stop` (kStopped); then
// the plugin and its process group are killed. A plugin that may use the terminal stays in this
// process's group and is killed alone. Does not wait for child processes that keep the stdout of an
// ended plugin open. The plugin shares this process's stderr.
Result<ExecAnswer> RunExecPlugin(Env& env, const ExecConfig& exec, const ExecCluster& cluster,
                                 const std::stop_token& stop = {});

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_EXEC_PLUGIN_H_
