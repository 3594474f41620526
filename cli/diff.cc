#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/stop.h"
#include "kinformer/client/diff_manifests.h"

#include "cli/commands.h"
#include "cli/kubectl_habits.h"
#include "cli/manifest_flags.h"
#include "cli/output.h"
#include "cli/printable.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

constexpr int kDiffers = 1;
constexpr int kDiffFailed = 2;

struct DiffFlags {
  ConnectionFlags connection{};
  ManifestFlags manifests{};
  bool server_side = true;
  bool force_conflicts = false;
  std::string field_manager = "kinformer";
  bool show_managed_fields = false;
};

Color ColorOf(std::string_view line) {
  if (line.starts_with("---") || line.starts_with("+++")) return Color::kPlain;
  if (line.starts_with("+")) return Color::kGreen;
  if (line.starts_with("-")) return Color::kRed;
  return line.starts_with("@@") ? Color::kDim : Color::kPlain;
}

void Print(const ManifestDiff& diff, Output& output) {
  output.Line(Printable("diff -u -N LIVE/" + diff.name + " MERGED/" + diff.name));
  for (std::string_view rest = diff.text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    output.Line(Printable(line), ColorOf(line));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
}

int RunDiff(const DiffFlags& flags) {
  if (flags.manifests.files.empty()) return UsageError("which manifests? Give -f FILE");
  const StopSource stop = StopOnSignals();
  Result<Connection> connection = Connect(flags.connection);
  if (!connection) {
    Fail(connection.error());
    return kDiffFailed;
  }
  const std::string& origin = connection->config.origin;
  Result<ManifestList> list = ReadFlagged(flags.manifests);
  if (!list) return UsageError(list.error().message());
  int status = 0;
  for (const Error& error : list->errors) {
    Fail(error, origin);
    status = kDiffFailed;
  }
  const NamespaceChoice choice = ChooseNamespace(*connection, flags.manifests.namespace_);
  const auto diffs = DiffManifests(connection->client, list->manifests,
                                   {.fieldManager = flags.field_manager,
                                    .force_conflicts = flags.force_conflicts,
                                    .namespace_ = choice.name,
                                    .enforce_namespace = choice.enforced,
                                    .show_managed_fields = flags.show_managed_fields},
                                   {.stop = stop.token()});
  Output output;
  for (const ManifestDiff& diff : diffs) {
    if (diff.error) {
      Fail(*diff.error, origin);
      status = kDiffFailed;
    } else if (!diff.text.empty()) {
      Print(diff, output);
      if (status == 0) status = kDiffers;
    }
  }
  return status;
}

}  // namespace

void RegisterDiff(CommandLine& line) {
  auto flags = std::make_shared<DiffFlags>();
  Command& command = line.Add(
      "diff", "Print what an apply would change; status 0: nothing, 1: something, 2: an error");
  AddManifestFlags(command, flags->manifests);
  command.Flag("--server-side", flags->server_side, "every apply is one; nothing changes by this");
  command.Flag("--force-conflicts", flags->force_conflicts, "take fields from other managers");
  command.Option("--field-manager", flags->field_manager, "NAME",
                 "owner of the fields that are applied; kinformer where it is not given");
  command.Flag("--show-managed-fields", flags->show_managed_fields,
               "compare metadata.managedFields, too");
  AddConnectionFlags(command, flags->connection);
  AddManifestHabits(command);
  command.Elsewhere("--prune,--prune-allowlist",
                    "`kinformer apply --prune --dry-run=server` names what it would delete");
  command.Run([flags] { return RunDiff(*flags); });
}

}  // namespace kinformer::cli
