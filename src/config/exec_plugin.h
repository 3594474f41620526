// config/exec_plugin.h
//
// One run of a credential plugin: client.authentication.k8s.io's ExecCredential protocol.

#ifndef KINFORMER_CONFIG_EXEC_PLUGIN_H_
#define KINFORMER_CONFIG_EXEC_PLUGIN_H_

#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/config.h"
#include "kinformer/env.h"
#include "kinformer/http_transport.h"
#include "kinformer/result.h"

#include "config/credentials.h"

namespace kinformer::internal::config {

struct ExecAnswer {
  Credentials credentials{};
  std::optional<WallTime> expires{};  // none: good for the life of the process
};

// Whether the plugin may use the terminal, as interactiveMode and the terminal say. kConfig
// "standard input is not a terminal".
Result<bool> ExecInteractive(const ExecConfig& exec, bool stdin_is_terminal);

// KUBERNETES_EXEC_INFO.
std::string ExecInfoJson(const ExecConfig& exec, const ExecCluster& cluster, bool interactive);

// What the plugin wrote to stdout.
Result<ExecAnswer> ParseExecAnswer(const ExecConfig& exec, const std::string& text);

// Runs it and reads its answer. Blocks, up to exec.timeout, or until `stop` (kStopped); then the
// plugin is killed with its process group. One that may use the terminal stays in ours, and is
// killed alone. One that has ended is not waited for where what it has started keeps its stdout.
// Its stderr is ours.
Result<ExecAnswer> RunExecPlugin(Env& env, const ExecConfig& exec, const ExecCluster& cluster,
                                 const std::stop_token& stop = {});

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_EXEC_PLUGIN_H_
