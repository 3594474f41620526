#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/stop.h"

#include "cli/commands.h"
#include "cli/pod_flags.h"
#include "cli/pod_target.h"
#include "cli/remote_session.h"
#include "cli/report.h"
#include "cli/terminal.h"

namespace kinformer::cli {
namespace {

constexpr int kInterrupted = 130;

struct SessionFlags {
  ConnectionFlags connection{};
  std::string target{};
  std::vector<std::string> command{};
  std::string namespace_{};
  std::string container{};
  bool input = false;
  bool tty = false;
  bool quiet = false;
};

void WriteTo(std::FILE* file, std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), file));
  static_cast<void>(std::fflush(file));
}

// Returns this program's standard streams as the session's.
SessionIo StandardIo(bool tty) {
  SessionIo io;
  io.on_stdout = [](std::string_view text) { WriteTo(stdout, text); };
  io.on_stderr = [](std::string_view text) { WriteTo(stderr, text); };
  io.feed = [tty](CommandInput input) {
    std::function<void(TerminalSize)> on_resize;
    if (tty) on_resize = [input](TerminalSize size) mutable { input.Resize(size); };
    return std::make_shared<TerminalReader>(
        [input](std::string_view text) mutable { return input.Write(text).ok(); },
        [input]() mutable { input.Close(); }, std::move(on_resize));
  };
  return io;
}

int RunRemote(const SessionFlags& flags, bool attach) {
  if (!attach && flags.command.empty()) {
    return UsageError("which command? Write it behind --: kinformer exec web-0 -- ls -l");
  }
  const StopSource stop = StopOnSignals();
  const Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;
  const std::string namespace_ = NamespaceOf(*connection, flags.namespace_);
  const CallOptions call{.stop = stop.token()};
  const Result<PodTarget> target = FindPod(connection->client, namespace_, flags.target, call);
  if (!target) return stop.stop_requested() ? kInterrupted : Fail(target.error(), origin);
  const Result<ContainerChoice> container = ChooseContainer(*target->pod, flags.container);
  if (!container) return Fail(container.error());
  const auto say = [&](const std::string& note) {
    if (!flags.quiet) SayNote(note);
  };
  say(target->note);
  say(container->note);
  SessionPlan plan{.pod = std::string(target->pod->metadata().name()),
                   .container = container->name,
                   .command = attach ? std::vector<std::string>() : flags.command,
                   .input = flags.input,
                   .tty = flags.tty};
  say(DropTerminal(plan, *target->pod, InputIsTerminal()));
  if (attach && plan.tty) say("If you don't see a command prompt, try pressing enter.");
  std::optional<RawTerminal> raw;
  if (plan.tty && plan.input) raw.emplace();
  const Result<int> code =
      RunSession(connection->client.For<corev1::Pod>(namespace_), plan, StandardIo(plan.tty), call);
  raw.reset();
  if (code) {
    if (*code != 0) say("command terminated with exit code " + std::to_string(*code));
    return *code;
  }
  return stop.stop_requested() ? kInterrupted : Fail(code.error(), origin);
}

void AddSessionFlags(Command& command, SessionFlags& flags) {
  command.Positional("POD", flags.target, /*required=*/true,
                     "a pod's name, or RESOURCE/NAME such as deployment/web");
  command.Option("-n,--namespace", flags.namespace_, "NS",
                 "namespace; the context's where it is not given");
  command.Option("-c,--container", flags.container, "CONTAINER",
                 "the container; without it the pod's default one, or the first");
  command.Flag("-i,--stdin", flags.input, "pass standard input on");
  command.Flag("-t,--tty", flags.tty, "give it a terminal: raw keys, and the size of this one");
  command.Flag("-q,--quiet", flags.quiet, "print nothing but what the container writes");
}

void Register(CommandLine& line, const std::string& name, const std::string& description,
              bool attach) {
  auto flags = std::make_shared<SessionFlags>();
  Command& command = line.Add(name, description);
  AddSessionFlags(command, *flags);
  if (!attach) {
    command.Positionals("COMMAND", flags->command, "what to run, and its arguments, behind --",
                        /*required=*/false);
  }
  AddConnectionFlags(command, flags->connection);
  command.Run([flags, attach] { return RunRemote(*flags, attach); });
}

}  // namespace

void RegisterExec(CommandLine& line) {
  Register(line, "exec", "Run a command in a container; its exit code is this program's", false);
  Register(line, "attach", "Join the streams of what a container runs", true);
}

}  // namespace kinformer::cli
