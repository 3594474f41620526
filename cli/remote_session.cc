#include "cli/remote_session.h"

#include "kinformer/api/corev1_mutable.h"

namespace kinformer::cli {

std::string DropTerminal(SessionPlan& plan, const corev1::Pod& pod, bool is_terminal) {
  if (!plan.tty) return {};
  if (!is_terminal) {
    plan.tty = false;
    return "Unable to use a TTY - input is not a terminal";
  }
  if (!plan.command.empty()) return {};
  for (const auto& container : pod.spec().containers()) {
    if (container.name() != plan.container || container.tty()) continue;
    plan.tty = false;
    return "Unable to use a TTY - container " + plan.container + " did not allocate one";
  }
  return {};
}

Result<int> RunSession(const ResourceClient<corev1::Pod>& pods, const SessionPlan& plan,
                       const SessionIo& io, const CallOptions& call) {
  StreamOptions streams;
  streams.on_stdout = io.on_stdout;
  if (!plan.tty) streams.on_stderr = io.on_stderr;
  if (plan.input) streams.input.emplace(pods.env());
  const std::shared_ptr<void> feeding =
      streams.input && io.feed ? io.feed(*streams.input) : nullptr;
  if (plan.command.empty()) {
    corev1::PodAttachOptionsMutable options;
    options.container = plan.container;
    options.tty = plan.tty;
    return AttachTo(pods, plan.pod, options, streams).Stream(streams, call);
  }
  corev1::PodExecOptionsMutable options;
  options.container = plan.container;
  options.tty = plan.tty;
  options.command = plan.command;
  return ExecIn(pods, plan.pod, options, streams).Stream(streams, call);
}

}  // namespace kinformer::cli
