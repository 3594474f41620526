#include "kinformer/base/version.h"

#include <iostream>
#include <memory>

#include "kinformer/client/discovery.h"

#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/progress.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

struct VersionFlags {
  ConnectionFlags connection{};
  bool client_only = false;
};

int RunVersion(const VersionFlags& flags) {
  std::cout << "kinformer " << kVersion << '\n';
  const bool server_named = !flags.connection.kubeconfig.empty() ||
                            !flags.connection.context.empty() || !flags.connection.server.empty();
  if (flags.client_only || !server_named) return 0;
  std::cout.flush();
  Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  Progress progress(*connection, connection->client.Describe());
  const Result<std::string> version = connection->client.Discovery().ServerVersion();
  progress.Done();
  if (!version) return Fail(version.error(), connection->config.origin);
  std::cout << "server " << *version << " at " << connection->client.Describe() << '\n';
  return 0;
}

}  // namespace

void RegisterVersion(CommandLine& line) {
  auto flags = std::make_shared<VersionFlags>();
  Command& command = line.Add("version", "Print the version, and that of a server if one is named");
  AddConnectionFlags(command, flags->connection);
  command.Flag("--client", flags->client_only, "this program's version only");
  command.Run([flags] { return RunVersion(*flags); });
}

}  // namespace kinformer::cli
