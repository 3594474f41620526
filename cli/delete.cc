#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/stop.h"
#include "kinformer/client/delete_manifests.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/list_options.h"

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/kubectl_habits.h"
#include "cli/manifest_flags.h"
#include "cli/printable.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

struct DeleteFlags {
  ConnectionFlags connection{};
  ManifestFlags manifests{};
  std::vector<std::string> arguments{};
  std::string field_selector{};
  bool all = false;
  bool all_namespaces = false;
  std::string cascade{};  // "", "background", "foreground", "orphan"
  std::string grace_period{};
  bool now = false;
  bool force = false;
  bool ignore_not_found = false;
  bool wait = true;
  double timeout = 0;
  std::string dry_run{};  // "", "none", "server"
  std::string output{};   // "", "name"
};

bool Selects(const DeleteFlags& flags) {
  return flags.all || !flags.manifests.label_selector.empty() || !flags.field_selector.empty();
}

// Returns the error of options that do not go together; empty if they do.
std::string Contradiction(const DeleteFlags& flags) {
  const bool by_files = !flags.manifests.files.empty();
  if (by_files && !flags.arguments.empty()) {
    return "-f names the objects already: \"" + flags.arguments.front() + "\" does not go with it";
  }
  if (!by_files && flags.arguments.empty()) {
    return "which objects? Give RESOURCE NAME, RESOURCE -l SELECTOR, or -f FILE";
  }
  if (by_files && (flags.all || !flags.field_selector.empty() || flags.all_namespaces)) {
    return "--all, -A and --field-selector are for a RESOURCE, and not for -f";
  }
  if (flags.all && (!flags.manifests.label_selector.empty() || !flags.field_selector.empty())) {
    return "--all and a selector say different things: give one of them";
  }
  if (flags.now && !flags.grace_period.empty())
    return "--now is --grace-period=1: give one of them";
  return "";
}

Result<DeleteManifestsOptions> OptionsOf(const Connection& connection, const DeleteFlags& flags) {
  const NamespaceChoice choice = ChooseNamespace(connection, flags.manifests.namespace_);
  DeleteManifestsOptions options{
      .ignore_not_found = flags.ignore_not_found,
      .dry_run = flags.dry_run == "server",
      .namespace_ = choice.name,
      .enforce_namespace = choice.enforced,
      .wait = flags.wait,
      .wait_timeout = std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::duration<double>(flags.timeout))};
  if (flags.cascade == "foreground") options.propagationPolicy = "Foreground";
  if (flags.cascade == "orphan") options.propagationPolicy = "Orphan";
  if (!flags.grace_period.empty()) {
    const Result<std::int64_t> seconds = ParseGracePeriod(flags.grace_period);
    if (!seconds) {
      return Error(Reason::kInvalidArgument, "--grace-period: " + seconds.error().message());
    }
    if (*seconds == 0 && !flags.force && !options.dry_run) {
      return Error(Reason::kInvalidArgument,
                   "--grace-period=0 needs --force: the server then forgets a pod whose "
                   "containers may go on running; --now gives them a second");
    }
    if (*seconds >= 0) options.gracePeriodSeconds = *seconds;
  }
  if (flags.now) options.gracePeriodSeconds = 1;
  if (flags.force && !options.gracePeriodSeconds) options.gracePeriodSeconds = 0;
  return options;
}

// Adds the objects of one resource that the selectors choose.
Result<void> AddSelected(const Connection& connection, const DeleteFlags& flags,
                         const RestMapping& mapping, const std::string& namespace_,
                         const CallOptions& call, std::vector<DeleteTarget>& targets) {
  ListOptions options;
  options.labelSelector = flags.manifests.label_selector;
  options.fieldSelector = flags.field_selector;
  options.limit = 500;
  const auto objects = connection.client.Metadata(mapping, namespace_).List(options, call);
  if (!objects) return objects.error();
  for (const metav1::PartialObjectMetadata object : *objects) {
    targets.push_back({.mapping = mapping,
                       .namespace_ = std::string(object.metadata().namespace_()),
                       .name = std::string(object.metadata().name())});
  }
  return {};
}

Result<std::vector<DeleteTarget>> FindTargets(const Connection& connection,
                                              const DeleteFlags& flags, const CallOptions& call) {
  const Result<std::vector<Asked>> asked = ReadArguments(flags.arguments);
  if (!asked) return asked.error();
  const std::string chosen = ChooseNamespace(connection, flags.manifests.namespace_).name;
  std::vector<DeleteTarget> targets;
  for (const Asked& one : *asked) {
    if (one.name.empty() == !Selects(flags)) {
      return Error(Reason::kInvalidArgument,
                   one.name.empty()
                       ? "which " + one.resource + "? Give a name, -l SELECTOR, or --all"
                       : "a name and a selector say different things: give one of them");
    }
    if (!one.name.empty() && flags.all_namespaces) {
      return Error(Reason::kInvalidArgument,
                   "a name belongs to one namespace: give -n in place of -A");
    }
    Result<RestMapping> mapping = connection.client.Discovery().MappingFor(one.resource, call);
    if (!mapping) return std::move(mapping).error();
    const std::string namespace_ = mapping->namespaced && !flags.all_namespaces ? chosen : "";
    if (!one.name.empty()) {
      targets.push_back(
          {.mapping = *std::move(mapping), .namespace_ = namespace_, .name = one.name});
      continue;
    }
    if (Result<void> added = AddSelected(connection, flags, *mapping, namespace_, call, targets);
        !added) {
      return std::move(added).error();
    }
  }
  return targets;
}

void SayDeleted(const DeleteFlags& flags, const DeleteResult& result) {
  const RestMapping& mapping = result.target.mapping;
  std::string line = QualifiedName(mapping, result.target.name);
  if (flags.output.empty()) {
    const std::string& name = result.target.name;
    line.replace(line.find('/'), std::string::npos, " \"" + Printable(name) + "\"");
    line += flags.force ? " force deleted" : " deleted";
    if (flags.dry_run == "server") line += " (server dry run)";
  }
  std::cout << line << '\n';
  std::cout.flush();
}

int RunDelete(const DeleteFlags& flags) {
  if (const std::string wrong = Contradiction(flags); !wrong.empty()) return UsageError(wrong);
  const StopSource stop = StopOnSignals();
  const CallOptions call{.stop = stop.token()};
  Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;
  Result<DeleteManifestsOptions> options = OptionsOf(*connection, flags);
  if (!options) return UsageError(options.error().message());
  if (flags.force) {
    std::cerr << "warning: a forced delete does not wait for the end of a pod's containers, which "
                 "may go on running\n";
  }
  options->on_result = [&](const DeleteResult& result) {
    if (result.error) {
      Fail(*result.error, origin);
    } else if (result.deleted) {
      SayDeleted(flags, result);
    }
  };
  bool failed = false;
  std::vector<DeleteResult> results;
  if (!flags.manifests.files.empty()) {
    const Result<ManifestList> list = ReadFlagged(flags.manifests);
    if (!list) return UsageError(list.error().message());
    for (const Error& error : list->errors) Fail(error, origin);
    failed = !list->errors.empty();
    results = DeleteManifests(connection->client, list->manifests, *options, call);
  } else {
    const Result<std::vector<DeleteTarget>> targets = FindTargets(*connection, flags, call);
    if (!targets && targets.error().reason() == Reason::kInvalidArgument) {
      return UsageError(targets.error().message());
    }
    if (!targets) return Fail(targets.error(), origin);
    results = DeleteObjects(connection->client, *targets, *options, call);
  }
  if (results.empty() && !failed) std::cerr << "No resources found\n";
  failed = failed || std::any_of(results.begin(), results.end(), [](const DeleteResult& result) {
             return result.error.has_value();
           });
  return failed ? kFailure : 0;
}

}  // namespace

void RegisterDelete(CommandLine& line) {
  auto flags = std::make_shared<DeleteFlags>();
  Command& command = line.Add("delete", "Delete objects, and wait until they are gone");
  command.Positionals(
      "RESOURCE", flags->arguments,
      "what to delete: pod a b; RESOURCE/NAME: pod/web-0 cm/settings; or pods,services "
      "with -l or --all",
      /*required=*/false);
  AddManifestFlags(command, flags->manifests);
  command.Option("--field-selector", flags->field_selector, "SELECTOR",
                 "only objects with these fields: status.phase=Failed");
  command.Flag("--all", flags->all, "all objects of the resource in the namespace");
  command.Flag("-A,--all-namespaces", flags->all_namespaces, "with -l or --all: in all namespaces");
  command.Choice("--cascade", flags->cascade, {"background", "foreground", "orphan"},
                 "whether what belongs to an object goes after it, before it, or stays", nullptr);
  command.Option("--grace-period", flags->grace_period, "SECONDS",
                 "time that a pod has to end; its own where it is not given");
  command.Flag("--now", flags->now, "the same as --grace-period=1");
  command.Flag("--force", flags->force, "do not wait for the end of a pod's containers");
  command.Flag("--ignore-not-found", flags->ignore_not_found,
               "an object that does not exist is no error");
  command.Flag("--wait", flags->wait, "--wait=false returns before the objects are gone");
  command.Seconds("--timeout", flags->timeout, "how long to wait until they are gone");
  command.Choice("--dry-run", flags->dry_run, {"none", "server"},
                 "have the server check, and delete nothing", DryRunHabit);
  command.Choice("-o,--output", flags->output, {"name"}, "what to print of each object", nullptr);
  AddConnectionFlags(command, flags->connection);
  AddManifestHabits(command);
  command.Run([flags] { return RunDelete(*flags); });
}

}  // namespace kinformer::cli
