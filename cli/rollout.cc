// `kinformer rollout status`: follows a rollout to its end, as kubectl does.

#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/cache/await_condition.h"
#include "kinformer/client/dynamic_client.h"

#include "cli/commands.h"
#include "cli/printable.h"
#include "cli/report.h"
#include "cli/targets.h"
#include "cli/wait_for.h"

namespace kinformer::cli {
namespace {

struct RolloutFlags {
  ConnectionFlags connection{};
  TargetFlags targets{};
  std::string timeout{"0s"};
  bool watch = true;
};

// Returns "deployments.apps".
std::string NameOf(const GroupVersionResource& resource) {
  return resource.resource + (resource.group.empty() ? "" : "." + resource.group);
}

// Returns a condition that prints the state whenever its words change.
wait::ObjectCondition Printing(const Target& target) {
  struct Seen {
    bool exists = false;
    std::string message{};
  };
  const auto seen = std::make_shared<Seen>();
  const std::string name = NameOf(target.mapping.resource) + " \"" + target.name + "\"";
  return {"rollout", [seen, name](const wait::ObservedObject& observed) -> Result<bool> {
            if (!observed.exists()) {
              return Error(Reason::kNotFound,
                           seen->exists ? "object has been deleted" : name + " not found");
            }
            seen->exists = true;
            Result<wait::RolloutState> state = wait::RolloutStateOf(observed.json());
            if (!state) return std::move(state).error();
            if (state->message != seen->message) {
              std::cout << Printable(state->message) << std::endl;
              seen->message = state->message;
            }
            return state->done;
          }};
}

Result<void> FollowOne(const Connection& connection, Duration timeout, bool watch,
                       const Target& target, CallOptions call) {
  const DynamicResourceClient objects =
      connection.client.Dynamic(target.mapping, target.namespace_);
  const wait::ObjectCondition condition = Printing(target);
  if (!watch) {
    Result<Ref<Unstructured>> object = objects.Get(target.name, {}, call);
    if (!object) return std::move(object).error();
    const Result<bool> state = condition.Holds(wait::ObservedObject(AnyRef(*std::move(object))));
    return state.ok() ? Result<void>() : Result<void>(state.error());
  }
  call.timeout = timeout;
  const auto done = AwaitCondition(objects, target.name, condition, call);
  if (done) return {};
  if (done.error().reason() == Reason::kDeadlineExceeded) {
    return Error(Reason::kTimeout, "timed out waiting for the condition");
  }
  return done.error();
}

int RunRollout(RolloutFlags& flags) {
  std::vector<std::string>& arguments = flags.targets.arguments;
  if (arguments.empty() || arguments.front() != "status") {
    return UsageError(
        "write `kinformer rollout status deploy/web`; kubectl does the other things that rollouts "
        "need");
  }
  arguments.erase(arguments.begin());
  const Result<Duration> timeout = ParseWaitTimeout(flags.timeout);
  if (!timeout.ok()) return UsageError("--timeout: " + timeout.error().message());
  return ForEachTarget(
      flags.connection, flags.targets, /*without_names=*/true, "no matching resources found",
      [&](const Connection& connection, const Target& target, const CallOptions& call) {
        return FollowOne(connection, *timeout, flags.watch, target, call);
      });
}

}  // namespace

void RegisterRollout(CommandLine& line) {
  auto flags = std::make_shared<RolloutFlags>();
  Command& command = line.Add("rollout",
                              "With status: follow the rollout of deployments, daemon sets and "
                              "stateful sets to its end");
  AddTargetFlags(command, flags->targets,
                 "status, then the objects: deploy/web; deploy web; or deploy, with -l or for all");
  command.Option("--timeout", flags->timeout, "DURATION",
                 "time to wait for each object; 0, if not given, is without limit");
  command.Flag("-w,--watch", flags->watch, "wait for the end; with =false print the state once");
  command.Elsewhere("--revision", "the status is that of the newest revision");
  AddConnectionFlags(command, flags->connection);
  command.Run([flags] { return RunRollout(*flags); });
}

}  // namespace kinformer::cli
