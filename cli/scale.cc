// `kinformer scale`: sets the number of replicas of objects, as `kubectl scale` does.

#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/client/retry.h"
#include "kinformer/client/scale_client.h"

#include "base/text/number_in.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/targets.h"

namespace kinformer::cli {
namespace {

using Scale = ScaleClient::Scale;

struct ScaleFlags {
  ConnectionFlags connection{};
  TargetFlags targets{};
  std::optional<std::string> replicas{};
  std::optional<std::string> current_replicas{};
  std::string resource_version{};
  std::string dry_run{"none"};
  std::string output{};
};

// Numbers of the options.
struct Wanted {
  std::int32_t replicas = 0;
  std::optional<std::int32_t> current{};
};

UpdateOptions OptionsOf(const ScaleFlags& flags) {
  UpdateOptions options;
  options.fieldManager = "kinformer-scale";
  if (flags.dry_run == "server") options.dryRun = {"All"};
  return options;
}

// Writes only if the scale is as expected.
Result<void> ScaleExpected(const ScaleClient& scales, const ScaleFlags& flags, const Wanted& wanted,
                           const Target& target, const CallOptions& call) {
  const GroupResource resource{target.mapping.resource.group, target.mapping.resource.resource};
  Result<Scale> scale = scales.Get(resource, target.name, call);
  if (!scale) return std::move(scale).error();
  if (wanted.current && scale->spec.replicas != *wanted.current) {
    return Error(Reason::kInvalidArgument, "Expected replicas to be " +
                                               std::to_string(*wanted.current) + ", was " +
                                               std::to_string(scale->spec.replicas));
  }
  const std::string& version = scale->metadata.resourceVersion;
  if (!flags.resource_version.empty() && version != flags.resource_version) {
    return Error(Reason::kInvalidArgument,
                 "Expected resource version to be " + flags.resource_version + ", was " + version);
  }
  scale->spec.replicas = wanted.replicas;
  if (flags.dry_run == "client") return {};
  Result<Scale> updated = scales.Update(resource, *scale, OptionsOf(flags), call);
  if (!updated) return std::move(updated).error();
  return {};
}

Result<void> ScaleOne(const Connection& connection, const ScaleFlags& flags, const Wanted& wanted,
                      const Target& target, const CallOptions& call) {
  const ScaleClient scales = ScaleClient(connection.client).Scales(target.namespace_);
  Result<void> done;
  if (wanted.current || !flags.resource_version.empty() || flags.dry_run == "client") {
    // A conflict with another writer is no failure: the expectation is checked again.
    done = retry::RetryOnConflict(
        connection.client.env(), retry::kDefaultRetry,
        [&] { return ScaleExpected(scales, flags, wanted, target, call); }, call.stop);
  } else {
    const UpdateOptions options = OptionsOf(flags);
    const Result<Scale> patched =
        scales.Patch(target.mapping.resource, target.name,
                     {PatchType::kMergePatch,
                      R"({"spec":{"replicas":)" + std::to_string(wanted.replicas) + "}}"},
                     {.dryRun = options.dryRun, .fieldManager = options.fieldManager}, call);
    if (!patched) done = patched.error();
  }
  if (!done) return done;
  std::cout << target.QualifiedName();
  if (flags.output != "name") {
    std::cout << " scaled"
              << (flags.dry_run == "server"   ? " (server dry run)"
                  : flags.dry_run == "client" ? " (dry run)"
                                              : "");
  }
  std::cout << '\n';
  return {};
}

int RunScale(const ScaleFlags& flags) {
  Wanted wanted;
  const auto replicas =
      flags.replicas ? internal::base::NumberIn<std::int32_t>(*flags.replicas) : std::nullopt;
  if (!replicas || *replicas < 0) {
    return UsageError(
        "--replicas=COUNT is required, and COUNT must be a number greater than or equal to 0");
  }
  wanted.replicas = *replicas;
  if (flags.current_replicas) {
    const auto current = internal::base::NumberIn<std::int32_t>(*flags.current_replicas);
    if (!current || *current < -1) {
      return UsageError("--current-replicas must be a number of -1 or higher");
    }
    if (*current >= 0) wanted.current = current;
  }
  return ForEachTarget(
      flags.connection, flags.targets, /*without_names=*/false, "no objects passed to scale",
      [&](const Connection& connection, const Target& target, const CallOptions& call) {
        return ScaleOne(connection, flags, wanted, target, call);
      });
}

}  // namespace

void RegisterScale(CommandLine& line) {
  auto flags = std::make_shared<ScaleFlags>();
  Command& command = line.Add("scale", "Set the number of replicas of objects");
  AddTargetFlags(command, flags->targets,
                 "the objects: deploy/web; deploy web; or deploy, with -l or --all");
  command.Option("--replicas", flags->replicas, "COUNT", "the new number of replicas");
  command.Option("--current-replicas", flags->current_replicas, "COUNT",
                 "scale only if this is the number of replicas");
  command.Option("--resource-version", flags->resource_version, "VERSION",
                 "scale only if this is the object's version");
  command.Choice("--dry-run", flags->dry_run, {"none", "server", "client"},
                 "do not change anything: let the server check the request, or only print",
                 nullptr);
  command.Choice("-o,--output", flags->output, {"name"}, "what to print of each object", nullptr);
  AddConnectionFlags(command, flags->connection);
  command.Run([flags] { return RunScale(*flags); });
}

}  // namespace kinformer::cli
