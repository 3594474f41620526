#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/stop.h"
#include "kinformer/client/apply_manifests.h"
#include "kinformer/client/discovery.h"

#include "cli/commands.h"
#include "cli/kubectl_habits.h"
#include "cli/manifest_flags.h"
#include "cli/output.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

struct ApplyFlags {
  ConnectionFlags connection{};
  ManifestFlags manifests{};
  bool server_side = false;
  bool force_conflicts = false;
  std::string field_manager = "kinformer";
  std::string dry_run{};   // "", "none", "server"
  std::string order{};     // "", "given", "install"
  std::string validate{};  // "", "strict", "warn", "ignore", "true", "false"
  bool prune = false;
  bool all = false;
  std::vector<std::string> allow_list{};
  std::string apply_set{};
  std::string output{};  // "", "name", "json", "yaml"
  bool show_managed_fields = false;
};

std::string ValidationOf(const std::string& flag) {
  if (flag == "warn") return "Warn";
  return flag == "ignore" || flag == "false" ? "Ignore" : "Strict";
}

// Returns the error of options that do not go together; empty if they do.
std::string Contradiction(const ApplyFlags& flags) {
  const bool selects = !flags.manifests.label_selector.empty();
  if (flags.manifests.files.empty()) return "which manifests? Give -f FILE";
  if (!flags.prune) {
    if (!flags.apply_set.empty()) return "--applyset needs --prune, which is what it is for";
    if (!flags.allow_list.empty()) return "--prune-allowlist is for --prune";
    return "";
  }
  if (!flags.apply_set.empty()) {
    if (selects || flags.all || !flags.allow_list.empty()) {
      return "--applyset knows its members: -l, --all and --prune-allowlist do not go with it";
    }
    return "";
  }
  if (flags.all && selects) return "--all and -l say different things: give one of them";
  if (!flags.all && !selects) {
    return "--prune deletes what the manifests do not have: say among which objects, by "
           "--applyset, -l SELECTOR, or --all";
  }
  return "";
}

Result<ApplySet> FindApplySet(const Connection& connection, const ApplyFlags& flags,
                              const CallOptions& call) {
  const Result<NamedParent> parent = ParseParent(flags.apply_set);
  if (!parent) return parent.error();
  ApplySet set{.name = parent->name, .namespace_ = flags.manifests.namespace_};
  if (!parent->resource.empty()) {
    Result<RestMapping> mapping = connection.client.Discovery().MappingFor(parent->resource, call);
    if (!mapping) return std::move(mapping).error();
    set.kind = mapping->kind;
    if (!mapping->namespaced) set.namespace_.clear();
    if (!mapping->namespaced) return set;
  }
  // The context's namespace may be another one the next time, and another set.
  if (set.namespace_.empty()) {
    return Error(Reason::kInvalidArgument, "--applyset needs -n NS, the namespace of its parent");
  }
  return set;
}

Result<ApplyManifestsOptions> OptionsOf(const Connection& connection, const ApplyFlags& flags,
                                        const CallOptions& call) {
  const NamespaceChoice choice = ChooseNamespace(connection, flags.manifests.namespace_);
  ApplyManifestsOptions options{
      .fieldManager = flags.field_manager,
      .force_conflicts = flags.force_conflicts,
      .dry_run = flags.dry_run == "server",
      .fieldValidation = ValidationOf(flags.validate),
      .namespace_ = choice.name,
      .enforce_namespace = choice.enforced,
      .order = flags.order == "install" ? ManifestOrder::kInstall : ManifestOrder::kGiven,
      .compare = !flags.server_side};
  if (!flags.apply_set.empty()) {
    Result<ApplySet> set = FindApplySet(connection, flags, call);
    if (!set) return std::move(set).error();
    options.apply_set = *std::move(set);
  } else if (flags.prune) {
    options.prune = PruneByLabel{.label_selector = flags.manifests.label_selector};
    for (const std::string& text : flags.allow_list) {
      Result<GroupVersionKind> kind = ParseAllowed(text);
      if (!kind) return std::move(kind).error();
      options.prune->allow_list.push_back(*std::move(kind));
    }
  }
  return options;
}

const char* WordOf(ApplyOutcome outcome) {
  switch (outcome) {
    case ApplyOutcome::kCreated:
      return "created";
    case ApplyOutcome::kConfigured:
      return "configured";
    case ApplyOutcome::kUnchanged:
      return "unchanged";
    case ApplyOutcome::kPruned:
      return "pruned";
    case ApplyOutcome::kApplied:
    case ApplyOutcome::kFailed:
      break;
  }
  return "serverside-applied";
}

void SayFailed(const ApplyResult& result, const std::string& origin) {
  Error error = *result.error;
  if (!result.conflicts.empty()) {
    error = Error(error.reason(),
                  error.message() +
                      "; --force-conflicts takes these fields from their managers; to leave them "
                      "there, take them out of the manifest");
  }
  Fail(error, origin);
}

void SayApplied(const ApplyFlags& flags, const ApplyResult& result) {
  std::string line = QualifiedName(result.mapping, result.name);
  if (flags.output.empty()) {
    const bool is_pruned = result.outcome == ApplyOutcome::kPruned;
    line += " ";
    line +=
        flags.server_side && !is_pruned ? WordOf(ApplyOutcome::kApplied) : WordOf(result.outcome);
    if (flags.dry_run == "server") line += " (server dry run)";
  }
  std::cout << line << '\n';
  std::cout.flush();
}

// Prints the applied objects; a pruned one is in no list.
void PrintObjects(const ApplyFlags& flags, const ApplyReport& report) {
  std::vector<json::Value> objects;
  for (const ApplyResult& result : report.results) {
    if (!result.manifest || result.error) continue;
    objects.push_back(result.object);
    if (!flags.show_managed_fields) objects.back().Ensure("metadata").Erase("managedFields");
  }
  if (objects.empty()) return;
  json::Value document;
  if (objects.size() == 1) {
    document = std::move(objects.front());
  } else {
    document = json::Value::MakeObject({{"apiVersion", "v1"},
                                        {"items", json::Value::MakeArray()},
                                        {"kind", "List"},
                                        {"metadata", json::Value::MakeObject()}});
    for (json::Value& object : objects) document.Ensure("items").Append(std::move(object));
  }
  std::cout << (flags.output == "json" ? KubectlJson(document) + "\n"
                                       : KubectlYaml(std::move(document)));
  std::cout.flush();
}

int RunApply(const ApplyFlags& flags) {
  if (const std::string wrong = Contradiction(flags); !wrong.empty()) return UsageError(wrong);
  const StopSource stop = StopOnSignals();
  const CallOptions call{.stop = stop.token()};
  Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;
  Result<ApplyManifestsOptions> options = OptionsOf(*connection, flags, call);
  Result<ManifestList> list =
      options ? ReadFlagged(flags.manifests) : Result<ManifestList>(options.error());
  if (!list && list.error().reason() == Reason::kInvalidArgument) {
    return UsageError(list.error().message());
  }
  if (!list) return Fail(list.error(), origin);
  for (const Error& error : list->errors) Fail(error, origin);
  if (flags.prune && !list->errors.empty()) {
    return Fail(Error(Reason::kConfig,
                      "nothing is applied: --prune would delete the objects of files that could "
                      "not be read"));
  }
  if (list->manifests.empty() && list->errors.empty()) {
    return Fail(Error(Reason::kConfig, "no objects passed to apply"));
  }
  const bool as_objects = flags.output == "json" || flags.output == "yaml";
  options->on_result = [&](const ApplyResult& result) {
    if (result.error) {
      SayFailed(result, origin);
    } else if (!as_objects) {
      SayApplied(flags, result);
    }
  };
  const ApplyReport report = ApplyManifests(connection->client, list->manifests, *options, call);
  for (const Error& error : report.errors) Fail(error, origin);
  if (as_objects) PrintObjects(flags, report);
  return report.ok() && list->errors.empty() ? 0 : kFailure;
}

}  // namespace

void RegisterApply(CommandLine& line) {
  auto flags = std::make_shared<ApplyFlags>();
  Command& command =
      line.Add("apply", "Create objects or change them as manifests say, by server-side apply");
  AddManifestFlags(command, flags->manifests);
  command.Flag(
      "--server-side", flags->server_side,
      "print \"serverside-applied\", as kubectl does with this option; every apply is one");
  command.Flag("--force-conflicts", flags->force_conflicts, "take fields from other managers");
  command.Option("--field-manager", flags->field_manager, "NAME",
                 "owner of the fields that are applied; kinformer where it is not given");
  command.Choice("--dry-run", flags->dry_run, {"none", "server"},
                 "have the server check, and change nothing", DryRunHabit);
  command.Choice("--order", flags->order, {"given", "install"},
                 "order of the applies: as given, or what others need first", nullptr);
  command.Choice("--validate", flags->validate, {"strict", "warn", "ignore", "true", "false"},
                 "what to do about fields that the server does not know", nullptr);
  command.Flag("--prune", flags->prune,
               "delete what was applied before and the manifests do not have");
  command.Option(
      "--applyset", flags->apply_set, "[RESOURCE/]NAME",
      "parent of the set that --prune deletes from: a Secret where no resource is given");
  command.Flag("--all", flags->all, "let --prune delete from all objects that were applied");
  command.Options("--prune-allowlist", flags->allow_list, "GROUP/VERSION/KIND",
                  "kinds that --prune may delete, with -l and --all");
  command.Choice("-o,--output", flags->output, {"name", "json", "yaml"},
                 "what to print of each object", OutputHabit);
  command.Flag("--show-managed-fields", flags->show_managed_fields,
               "print metadata.managedFields, too");
  AddConnectionFlags(command, flags->connection);
  AddManifestHabits(command);
  command.Elsewhere("--timeout,--wait", "`kinformer watch` shows what becomes of the objects");
  command.Elsewhere("--force,--cascade,--grace-period", "an apply does not replace objects");
  command.Run([flags] { return RunApply(*flags); });
}

}  // namespace kinformer::cli
