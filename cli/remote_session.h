// cli/remote_session.h
//
// A session with a container: a command that runs in it (exec), or what it runs (attach).

#ifndef KINFORMER_CLI_REMOTE_SESSION_H_
#define KINFORMER_CLI_REMOTE_SESSION_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/result.h"
#include "kinformer/client/remote_command.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/resource_client.h"

namespace kinformer::cli {

struct SessionPlan {
  std::string pod{};
  std::string container{};
  std::vector<std::string> command{};  // empty: attach
  bool input = false;                  // -i
  bool tty = false;                    // -t
};

// This side of a session.
struct SessionIo {
  std::function<void(std::string_view text)> on_stdout{};
  std::function<void(std::string_view text)> on_stderr{};
  // Begins to feed the command, until the result is destroyed. Only called for plans with input.
  std::function<std::shared_ptr<void>(CommandInput input)> feed{};
};

// Returns why a plan cannot have its terminal, and takes that from it; empty if it can.
// `is_terminal`: standard input is one. An attached container must have a terminal itself.
std::string DropTerminal(SessionPlan& plan, const corev1::Pod& pod, bool is_terminal);

// Runs a session, and returns the command's exit code. Blocks; kWouldDeadlock on the loop.
Result<int> RunSession(const ResourceClient<corev1::Pod>& pods, const SessionPlan& plan,
                       const SessionIo& io, const CallOptions& call);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_REMOTE_SESSION_H_
