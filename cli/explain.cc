// kinformer explain: what the fields of a kind mean.

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/stop.h"
#include "kinformer/client/discovery.h"
#include "kinformer/json/json.h"

#include "cli/commands.h"
#include "cli/explain_text.h"
#include "cli/progress.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

struct ExplainFlags {
  ConnectionFlags connection{};
  std::string argument{};
  std::string api_version{};
  bool recursive = false;
};

// Returns the mapping of the resource, in the given "group/version" if there is one.
Result<RestMapping> Find(const DiscoveryClient& discovery, const std::string& resource,
                         const std::string& api_version, const CallOptions& call) {
  Result<RestMapping> found = discovery.MappingFor(resource, call);
  if (api_version.empty()) return found;
  const std::size_t slash = api_version.find('/');
  GroupVersionResource wanted;
  wanted.group = slash == std::string::npos ? "" : api_version.substr(0, slash);
  wanted.version = slash == std::string::npos ? api_version : api_version.substr(slash + 1);
  wanted.resource = found ? found->resource.resource : resource;
  Result<RestMapping> in_version = discovery.MappingFor(wanted, call);
  if (in_version || !IsNotFound(in_version.error())) return in_version;
  return Error(Reason::kNotFound, "the server has no " + wanted.resource + " in " + api_version +
                                      "; `kinformer api-versions` lists its versions");
}

Result<std::string> Explain(const Client& client, const ExplainFlags& flags,
                            const CallOptions& call) {
  const DiscoveryClient discovery = client.Discovery();
  const Result<std::vector<ApiGroup>> groups = discovery.ServerGroups(call);
  if (!groups) return groups.error();
  const Result<Explained> explained = ReadExplained(flags.argument, *groups);
  if (!explained) return explained.error();
  const Result<RestMapping> mapping = Find(discovery, explained->resource, flags.api_version, call);
  if (!mapping) return mapping.error();
  const GroupVersionKind& kind = mapping->kind;
  const std::string path =
      kind.group.empty() ? "api/" + kind.version : "apis/" + kind.group + "/" + kind.version;
  const Result<std::shared_ptr<const std::string>> text = discovery.OpenAPIV3Schema(path, call);
  if (!text) return text.error();
  const Result<json::Value> document = json::Parse(**text);
  if (!document) return document.error();
  return ExplainText(*document, kind, explained->fields, flags.recursive);
}

int RunExplain(const ExplainFlags& flags) {
  const StopSource stop = StopOnSignals();
  Result<Connection> connection = Connect(flags.connection);
  if (!connection) return Fail(connection.error());
  Progress progress(*connection, "the schema of " + flags.argument);
  const Result<std::string> text = Explain(connection->client, flags, {.stop = stop.token()});
  progress.Done();
  if (stop.stop_requested()) return kFailure;
  if (!text && text.error().reason() == Reason::kInvalidArgument) {
    return UsageError(text.error().message());
  }
  if (!text) return Fail(text.error(), connection->config.origin);
  std::cout << *text << std::flush;
  return 0;
}

}  // namespace

void RegisterExplain(CommandLine& line) {
  auto flags = std::make_shared<ExplainFlags>();
  Command& command = line.Add("explain", "Explain a resource and its fields");
  command.Positional("RESOURCE", flags->argument, /*required=*/true,
                     "what to explain: pods, pods.spec.containers, deployments.apps.spec");
  command.Flag("--recursive", flags->recursive, "all fields below it, without descriptions");
  command.Option("--api-version", flags->api_version, "GROUP/VERSION",
                 "version to explain; the preferred one without it");
  AddConnectionFlags(command, flags->connection);
  command.Run([flags] { return RunExplain(*flags); });
}

}  // namespace kinformer::cli
