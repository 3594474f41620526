// kinformer/client/remote_command.h
//
// Commands in the containers of a pod: exec, and attach to what a container runs. Their streams go
// over a WebSocket (v5.channel.k8s.io, or v4).
//
//   const auto pods = client.For<corev1::Pod>("default");
//   corev1::PodExecOptions::Mutable options;
//   options.container = "app";
//   options.command = {"cat", "/etc/hostname"};
//   Result<ExecResult> cat = Exec(pods, "web-0", options);
//   if (cat) std::cout << cat->stdout_text << "exit code " << cat->exit_code << '\n';

#ifndef KINFORMER_CLIENT_REMOTE_COMMAND_H_
#define KINFORMER_CLIENT_REMOTE_COMMAND_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/async_call.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/client/rest_request.h"

namespace kinformer {

namespace internal::client {
class CommandInputState;
}  // namespace internal::client

// Size of a terminal in characters. Counterpart: remotecommand.TerminalSize.
struct TerminalSize {
  std::uint16_t width{0};
  std::uint16_t height{0};
};

// The side of a remote command that a program feeds: its stdin, and the size of its terminal.
// Belongs to one command; what is written before that runs is kept for it. Copies are the same
// input. Thread-safe.
class CommandInput {
 public:
  explicit CommandInput(Env& env);

  // Sends text to the command's stdin. Waits while more than a megabyte is unsent; on a loop it
  // never waits, and kWouldDeadlock says that nothing was taken. kStopped: the command is over, or
  // this is closed.
  Result<void> Write(std::string_view text);
  // Ends stdin: the command reads the end of its file. Does nothing the second time.
  void Close();
  // Tells the command that its terminal has this size now. The last size counts.
  void Resize(TerminalSize size);
  // For the library.
  [[nodiscard]] const std::shared_ptr<internal::client::CommandInputState>& state() const {
    return state_;
  }

 private:
  std::shared_ptr<internal::client::CommandInputState> state_;
};

// The streams of a remote command. What is not set is not requested. Counterpart:
// remotecommand.StreamOptions.
struct StreamOptions {
  std::optional<CommandInput> input{};
  // Called with what the command writes, in the order of arrival: on the calling thread, or in the
  // task that awaits. A slow function makes the command wait. An exception ends the command's
  // connection, and passes through.
  std::function<void(std::string_view text)> on_stdout{};
  // With a terminal the command has no stderr of its own.
  std::function<void(std::string_view text)> on_stderr{};
};

// Runs the command that a request names, and carries its streams. Copyable, thread-safe.
// Counterpart: remotecommand.Executor of NewWebSocketExecutor.
class RemoteExecutor {
 public:
  // `request`: of a subresource exec or attach, with its options as parameters: stdin, stdout,
  // stderr, tty, command, container.
  explicit RemoteExecutor(RestRequest request) : request_(std::move(request)) {}

  // Returns the exit code once the command has ended: 0, or another one, which is no error. An
  // error: the command did not start, or its end is unknown. The request is sent once, and never
  // repeated. A stop request and call.timeout end the connection; what the command does then is the
  // container's matter. Blocks; kWouldDeadlock on the loop. Counterpart: StreamWithContext.
  Result<int> Stream(const StreamOptions& streams, const CallOptions& call = {}) const;
  [[nodiscard]] AsyncCall<int> AsyncStream(StreamOptions streams) const;

 private:
  RestRequest request_;
};

// Return the executor for a command in a container, and for what a container runs. The streams that
// `streams` has are requested in place of what `options` says. Without options.container the pod
// must have one container, or name its default one.
[[nodiscard]] RemoteExecutor ExecIn(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                                    corev1::PodExecOptions::Mutable options,
                                    const StreamOptions& streams);
[[nodiscard]] RemoteExecutor AttachTo(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                                      corev1::PodAttachOptions::Mutable options,
                                      const StreamOptions& streams);

// How a command has ended, and what it wrote.
struct ExecResult {
  int exit_code{0};
  std::string stdout_text{};
  std::string stderr_text{};
};

// Runs a command to its end with `input` as its whole stdin. Blocks; kWouldDeadlock on the loop.
// Keeps all output in memory: for much of it, use ExecIn. Counterpart: kubectl exec.
Result<ExecResult> Exec(const ResourceClient<corev1::Pod>& pods, std::string_view pod,
                        const corev1::PodExecOptions::Mutable& options, std::string_view input = {},
                        const CallOptions& call = {});
[[nodiscard]] AsyncCall<ExecResult> AsyncExec(const ResourceClient<corev1::Pod>& pods,
                                              std::string_view pod,
                                              const corev1::PodExecOptions::Mutable& options,
                                              std::string input = {});

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_REMOTE_COMMAND_H_
