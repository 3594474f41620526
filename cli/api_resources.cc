// kinformer api-resources, kinformer api-versions: what a server has.

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/stop.h"
#include "kinformer/client/discovery.h"

#include "cli/api_table.h"
#include "cli/commands.h"
#include "cli/kubectl_habits.h"
#include "cli/output.h"
#include "cli/printable.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/table.h"

namespace kinformer::cli {
namespace {

struct ApiFlags {
  ConnectionFlags connection{};
  std::optional<std::string> group{};
  std::optional<bool> namespaced{};
  std::string verbs{};
  std::string categories{};
  std::string sort_by{};
  std::string output{};
  bool no_headers = false;
};

std::vector<std::string> Parts(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

void PrintResources(const std::vector<ApiResource>& resources, const ApiFlags& flags) {
  if (flags.output == "json") {
    std::cout << KubectlJson(ResourceDocument(resources)) << '\n';
  } else if (flags.output == "yaml") {
    std::cout << KubectlYaml(ResourceDocument(resources));
  } else if (flags.output == "name") {
    for (const ApiResource& one : resources) std::cout << Printable(ResourceName(one)) << '\n';
  } else {
    std::vector<std::vector<std::string>> rows = ResourceRows(resources, flags.output == "wide");
    if (flags.no_headers) rows.erase(rows.begin());
    Table table;
    for (const auto& row : rows) table.Measure(row);
    for (const auto& row : rows) std::cout << table.Line(row) << '\n';
  }
  std::cout.flush();
}

int RunApiResources(const ApiFlags& flags) {
  const StopSource stop = StopOnSignals();
  Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  const std::string& origin = connection->config.origin;
  Progress progress(*connection, "the resources of " + connection->client.Describe());
  const Result<std::vector<ApiGroupVersion>> groups =
      connection->client.Discovery().ServerPreferredResources({.stop = stop.token()});
  progress.Done();
  if (stop.stop_requested()) return kFailure;
  if (!groups) return Fail(groups.error(), origin);
  PrintResources(ChooseResources(*groups, {.group = flags.group,
                                           .namespaced = flags.namespaced,
                                           .verbs = Parts(flags.verbs),
                                           .categories = Parts(flags.categories),
                                           .sort_by = flags.sort_by}),
                 flags);
  const std::optional<Error> failed = ErrGroupDiscoveryFailed(*groups);
  return failed ? Fail(*failed, origin) : 0;
}

int RunApiVersions(const ConnectionFlags& flags) {
  const StopSource stop = StopOnSignals();
  Result<Connection> connection = Connect(flags);
  if (!connection) return Fail(connection.error());
  Progress progress(*connection, "the versions of " + connection->client.Describe());
  const Result<std::vector<ApiGroup>> groups =
      connection->client.Discovery().ServerGroups({.stop = stop.token()});
  progress.Done();
  if (stop.stop_requested()) return kFailure;
  if (!groups) return Fail(groups.error(), connection->config.origin);
  for (const std::string& line : VersionLines(*groups)) std::cout << Printable(line) << '\n';
  return 0;
}

}  // namespace

void RegisterApiResources(CommandLine& line) {
  auto flags = std::make_shared<ApiFlags>();
  Command& command =
      line.Add("api-resources", "List the resources of the server, each in its preferred version");
  command.Option("--api-group", flags->group, "GROUP", "only this group; empty: the core group");
  command.Flag("--namespaced", flags->namespaced,
               "only resources in namespaces; =false: only the others");
  command.Option("--verbs", flags->verbs, "VERBS", "only resources with all of them: list,watch");
  command.Option("--categories", flags->categories, "CATEGORIES",
                 "only resources in all of them: all");
  command.Choice("--sort-by", flags->sort_by, {"name", "kind"},
                 "order; by group and name without it", nullptr);
  command.Choice("-o,--output", flags->output, {"wide", "name", "json", "yaml"},
                 "what to print of each resource", OutputHabit);
  command.Flag("--no-headers", flags->no_headers, "print no titles");
  AddConnectionFlags(command, flags->connection);
  command.Status(
      kFailure,
      "failure, also of a part: groups whose resources are unknown are named on standard "
      "error, and the others are listed");
  command.Run([flags] { return RunApiResources(*flags); });

  auto connection = std::make_shared<ConnectionFlags>();
  Command& versions =
      line.Add("api-versions", "List the groups and versions of the server: apps/v1");
  AddConnectionFlags(versions, *connection);
  versions.Run([connection] { return RunApiVersions(*connection); });
}

}  // namespace kinformer::cli
