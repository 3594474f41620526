// `kinformer wait`: waits until objects are in a state, as `kubectl wait` does, without polling.

#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/cache/await_condition.h"
#include "kinformer/client/dynamic_client.h"

#include "cli/commands.h"
#include "cli/report.h"
#include "cli/targets.h"
#include "cli/wait_for.h"

namespace kinformer::cli {
namespace {

struct WaitFlags {
  ConnectionFlags connection{};
  TargetFlags targets{};
  std::string wait_for{};
  std::string timeout{"30s"};
  std::string output{};
};

Error Named(const Error& error, const Target& target) {
  // An error that says more, such as that the server cannot be reached, is printed as it is.
  if (error.reason() == Reason::kDeadlineExceeded &&
      error.message().starts_with("timed out waiting for")) {
    return Error(Reason::kTimeout,
                 "timed out waiting for the condition on " + target.ResourceName());
  }
  if (error.reason() == Reason::kNotFound && error.http_status() == 0) {
    return Error(
        Reason::kNotFound,
        target.mapping.resource.resource + " \"" + target.name + "\" not found" +
            (target.namespace_.empty() ? std::string() : " in namespace " + target.namespace_));
  }
  return error;
}

// Checks or awaits a condition of one object.
template <ObjectView T>
Result<void> Meet(const ResourceClient<T>& client, const Target& target,
                  const wait::ObjectCondition& condition, Duration timeout, CallOptions call) {
  if (timeout > Duration(0)) {
    call.timeout = timeout;
    const Result<Ref<T>> object = AwaitCondition(client, target.name, condition, call);
    return object ? Result<void>() : Result<void>(Named(object.error(), target));
  }
  Result<Ref<T>> object = client.Get(target.name, {}, call);
  if (!object && !IsNotFound(object.error())) return std::move(object).error();
  const wait::ObservedObject state(object ? AnyRef(*std::move(object)) : AnyRef());
  const Result<bool> holds = condition.Holds(state);
  if (!holds.ok()) return Named(holds.error(), target);
  if (*holds) return {};
  return Error(Reason::kTimeout, "condition not met for " + target.ResourceName());
}

Result<void> WaitForOne(const Connection& connection, const WaitFor& wait_for, Duration timeout,
                        const std::string& output, const Target& target, const CallOptions& call) {
  Result<void> met;
  if (wait_for.form == WaitFor::Form::kCondition) {
    met = Meet(connection.client.Dynamic(target.mapping, target.namespace_), target,
               *wait_for.condition, timeout, call);
  } else {
    const MetadataResourceClient objects =
        connection.client.Metadata(target.mapping, target.namespace_);
    std::string uid = target.uid;
    if (wait_for.form == WaitFor::Form::kDelete && !target.selected) {
      const auto object = objects.Get(target.name, {}, call);
      // As kubectl, says nothing about an object that is gone already.
      if (!object && IsNotFound(object.error())) return {};
      if (!object) return object.error();
      uid = (*object)->metadata().uid();
    }
    met = Meet(objects, target,
               wait_for.form == WaitFor::Form::kCreate ? wait::conditions::Exists()
                                                       : wait::conditions::Deleted(uid),
               timeout, call);
  }
  if (!met) return met;
  std::cout << target.QualifiedName() << (output == "name" ? "" : " condition met") << std::endl;
  return {};
}

int RunWait(const WaitFlags& flags) {
  const Result<WaitFor> wait_for = ParseWaitFor(flags.wait_for);
  if (!wait_for) return UsageError(wait_for.error().message());
  const Result<Duration> timeout = ParseWaitTimeout(flags.timeout);
  if (!timeout.ok()) return UsageError("--timeout: " + timeout.error().message());
  const bool deletes = wait_for->form == WaitFor::Form::kDelete;
  return ForEachTarget(
      flags.connection, flags.targets, /*without_names=*/false,
      deletes ? "" : "no matching resources found",
      [&](const Connection& connection, const Target& target, const CallOptions& call) {
        return WaitForOne(connection, *wait_for, *timeout, flags.output, target, call);
      });
}

}  // namespace

void RegisterWait(CommandLine& line) {
  auto flags = std::make_shared<WaitFlags>();
  Command& command = line.Add("wait", "Wait until objects are in a state, by a watch");
  AddTargetFlags(command, flags->targets,
                 "the objects: deploy/web; deploy web; or deploy, with -l or --all");
  command.Flag("-A,--all-namespaces", flags->targets.all_namespaces,
               "all namespaces, whatever -n says");
  command.Option("--field-selector", flags->targets.field_selector, "SELECTOR",
                 "objects with these fields: spec.nodeName=node-7");
  command.Option("--for", flags->wait_for, "CONDITION",
                 "condition=NAME[=VALUE], jsonpath='{.status.phase}'[=VALUE], create or delete");
  command.Option("--timeout", flags->timeout, "DURATION",
                 "time for each object: 30s if not given; 0 checks once; negative is a week");
  command.Choice("-o,--output", flags->output, {"name"}, "what to print of each object", nullptr);
  AddConnectionFlags(command, flags->connection);
  command.Run([flags] { return RunWait(*flags); });
}

}  // namespace kinformer::cli
