// kinformer top: figures of informers while they run, its own or those of another program.

#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <stop_token>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/base/stop.h"
#include "kinformer/base/wait.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/object/object.h"

#include "cli/commands.h"
#include "cli/first_sync.h"
#include "cli/format.h"
#include "cli/output.h"
#include "cli/program_samples.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/running_program.h"
#include "cli/selection.h"
#include "cli/top_table.h"

namespace kinformer::cli {
namespace {

struct TopFlags {
  ConnectionFlags connection{};
  ProgramFlags program{};
  SelectionFlags selection{};
  double interval = 0;
  bool once = false;
};

// The informers, which report no errors by themselves: the table has them.
class Informers {
 public:
  Informers(const Client& client, const std::vector<Selection>& selections)
      : selections_(selections) {
    for (const Selection& selection : selections) {
      informers_.push_back(std::make_unique<SharedInformer<Object>>(
          client.env(), selection.NewListWatch(client), InformerOptions<Object>{}));
      static_cast<void>(informers_.back()->SetWatchErrorHandler([](const Error& /*error*/) {}));
    }
  }
  ~Informers() {
    for (const auto& informer : informers_) informer->Stop();
  }
  Informers(const Informers&) = delete;
  Informers& operator=(const Informers&) = delete;

  void Start() {
    for (const auto& informer : informers_) informer->Start();
  }
  // Waits for all of them. Returns the first error that waiting does not cure.
  Result<void> WaitForSync(const std::stop_token& stop) {
    for (const auto& informer : informers_) {
      Result<void> synced = informer->WaitForCacheSync(stop, {.fail_fast = true});
      if (!synced) return synced;
    }
    return {};
  }
  [[nodiscard]] std::vector<TopSample> Samples() const {
    std::vector<TopSample> samples;
    for (std::size_t i = 0; i < informers_.size(); ++i) {
      samples.push_back(
          {selections_[i].Description(), selections_[i].namespace_, informers_[i]->Stats()});
    }
    return samples;
  }

 private:
  const std::vector<Selection>& selections_;
  std::vector<std::unique_ptr<SharedInformer<Object>>> informers_;
};

// Standard output, a terminal or not.
class Display {
 public:
  explicit Display(StopSource stop)
      : terminal_(isatty(STDOUT_FILENO) != 0), output_([stop]() mutable { stop.RequestStop(); }) {}

  void Show(const std::vector<TopLine>& lines) {
    if (!terminal_) {
      // The titles once, then the figures again and again.
      for (std::size_t i = shown_ == 0 ? 0 : 1; i < lines.size(); ++i) output_.Line(lines[i].text);
      shown_ = 1;
      return;
    }
    winsize size{};
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    std::cout << Picture(lines, shown_, known ? size.ws_col : 80, known ? size.ws_row : 24,
                         ColorsWanted(), shown_)
              << std::flush;
  }

 private:
  const bool terminal_;
  Output output_;
  std::size_t shown_ = 0;  // lines of the last picture
};

Duration IntervalOf(const TopFlags& flags) {
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(flags.interval > 0 ? flags.interval : 1));
}

// Shows what a running program says of itself. An answer that fails is said and asked for again.
int RunTopOfProgram(const TopFlags& flags) {
  const StopSource stop = StopOnSignals();
  const CallOptions call{.stop = stop.token(), .timeout = std::chrono::seconds(10)};
  if (!flags.selection.arguments.empty()) {
    return UsageError("--url and --pid show what the program has: give no resources");
  }
  Result<RunningProgram> program = RunningProgram::Find(flags.program, flags.connection, call);
  if (!program) {
    if (program.error().reason() == Reason::kInvalidArgument) {
      return UsageError(program.error().message());
    }
    return Fail(program.error());
  }
  TopTable controllers;
  TopTable informers;
  Display display(stop);
  const auto show = [&](const json::Value& state) {
    const SteadyTime now = program->env().Now();
    std::vector<TopLine> lines{{TitleOf(state)}, {}};
    for (TopLine& line : controllers.Lines(ControllersOf(state), now)) {
      lines.push_back(std::move(line));
    }
    lines.emplace_back();
    for (TopLine& line : informers.Lines(InformersOf(state), now)) {
      lines.push_back(std::move(line));
    }
    display.Show(lines);
  };
  if (flags.once) {
    const Result<json::Value> state = program->Read("/state.json", call);
    if (!state) return Fail(state.error(), program->url());
    show(*state);
    return 0;
  }
  (void)wait::PollUntilCancel(
      program->env(), stop.token(), IntervalOf(flags), [&]() -> Result<bool> {
        const Result<json::Value> state = program->Read("/state.json", call);
        if (state) {
          show(*state);
        } else {
          display.Show({{program->url() + ": " + state.error().message(), Color::kRed}});
        }
        return false;
      });
  return 0;
}

int RunTop(const TopFlags& flags) {
  if (flags.program.given()) return RunTopOfProgram(flags);
  if (flags.selection.arguments.empty()) {
    return UsageError("RESOURCE is required, or --pid or --url of a running program");
  }
  const StopSource stop = StopOnSignals();
  Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;
  Env& env = connection->client.env();
  Progress progress(*connection, "the server");
  const Result<std::vector<Selection>> selections =
      Select(*connection, flags.selection, {.form = Format::Form::kName}, {.stop = stop.token()});
  progress.Done();
  if (!selections) {
    if (stop.stop_requested()) return 0;
    if (selections.error().reason() == Reason::kInvalidArgument) {
      return UsageError(selections.error().message());
    }
    return Fail(selections.error(), origin);
  }
  Informers informers(connection->client, *selections);
  informers.Start();
  TopTable table;
  Display display(stop);
  if (flags.once) {
    const Result<void> synced = informers.WaitForSync(stop.token());
    if (stop.stop_requested()) return kFailure;
    display.Show(table.Lines(informers.Samples(), env.Now()));
    return synced ? 0 : FailToRead(synced.error(), *selections, origin);
  }
  (void)wait::PollUntilCancel(env, stop.token(), IntervalOf(flags), [&]() -> Result<bool> {
    display.Show(table.Lines(informers.Samples(), env.Now()));
    return false;
  });
  return 0;
}

}  // namespace

void RegisterTop(CommandLine& line) {
  auto flags = std::make_shared<TopFlags>();
  Command& command = line.Add(
      "top",
      "Run informers, and show their objects, bytes, events, proofs, lag and state; or show what a "
      "running program with a manager does");
  SelectionFlags& selection = flags->selection;
  command.Positionals("RESOURCE", selection.arguments,
                      "what to look at: pods, deployments.apps, po,svc; then names: pod a b; "
                      "or RESOURCE/NAME: pod/web-0 cm/settings",
                      /*required=*/false);
  command.Option("-n,--namespace", selection.namespace_, "NS",
                 "namespace; the context's where it is not given");
  command.Flag("-A,--all-namespaces", selection.all_namespaces, "all namespaces, whatever -n says");
  command.Option("-l,--selector", selection.label_selector, "SELECTOR",
                 "only objects with these labels: app=web,tier in (front,back)");
  command.Option("--field-selector", selection.field_selector, "SELECTOR",
                 "only objects with these fields: spec.nodeName=node-7");
  command.Flag("--once", flags->once, "print the figures once, when all caches have synced");
  command.Seconds("--interval", flags->interval, "time between two looks; 1s without it");
  AddProgramFlags(command, flags->program);
  AddConnectionFlags(command, flags->connection);
  command.Status(kFailure, "failure; standard error says why; with --once also an interrupt");
  command.Run([flags] { return RunTop(*flags); });
}

}  // namespace kinformer::cli
