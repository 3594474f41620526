// kinformer config: what the kubeconfig says, without secrets; the current context; and a check.

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/clientcmd.h"

#include "cli/commands.h"
#include "cli/printable.h"
#include "cli/report.h"
#include "cli/table.h"

namespace kinformer::cli {
namespace {

struct ConfigFlags {
  std::string kubeconfig{};
  std::string context{};
  std::string action{};
  std::string name{};
  std::string output{};  // "", "name"
  bool minify = false;
  bool flatten = false;
  bool raw = false;
};

int View(clientcmdapi::Config config, const ConfigFlags& flags) {
  if (!flags.context.empty()) config.current_context = flags.context;
  if (flags.minify) {
    if (Result<void> done = clientcmdapi::MinifyConfig(config); !done) return Fail(done.error());
  }
  if (flags.flatten) {
    if (Result<void> done = clientcmdapi::FlattenConfig(config); !done) return Fail(done.error());
  }
  if (!flags.raw) {
    clientcmdapi::RedactSecrets(config);
    clientcmdapi::ShortenConfig(config);
  }
  std::cout << clientcmd::Write(config);
  return 0;
}

int Contexts(const clientcmdapi::Config& config, const ConfigFlags& flags) {
  if (flags.output == "name") {
    for (const auto& [name, context] : config.contexts) std::cout << Printable(name) << '\n';
    return 0;
  }
  std::vector<std::vector<std::string>> rows{
      {"CURRENT", "NAME", "CLUSTER", "AUTHINFO", "NAMESPACE"}};
  for (const auto& [name, context] : config.contexts) {
    rows.push_back({name == config.current_context ? "*" : "", name, context.cluster,
                    context.auth_info, context.namespace_});
  }
  Table table;
  for (const auto& row : rows) table.Measure(row);
  for (const auto& row : rows) std::cout << table.Line(row) << '\n';
  return 0;
}

int CurrentContext(const clientcmdapi::Config& config) {
  if (config.current_context.empty()) {
    return Fail(Error(Reason::kNotFound,
                      "current-context is not set; choose one with `kinformer config use NAME`"));
  }
  std::cout << Printable(config.current_context) << '\n';
  return 0;
}

int Use(const clientcmd::PathOptions& files, clientcmdapi::Config config, const std::string& name) {
  const auto found = config.contexts.find(name);
  if (found == config.contexts.end()) {
    return Fail(clientcmd::ConfirmUsable(config, name).error());
  }
  config.current_context = name;
  if (Result<void> done = clientcmd::ModifyConfig(files, config); !done) return Fail(done.error());
  std::cout << "Switched to context \"" << Printable(name) << "\".\n";
  return 0;
}

// Prints a line for each context, and one for each problem.
int Check(const clientcmdapi::Config& config) {
  if (clientcmdapi::IsConfigEmpty(config)) return Fail(clientcmd::Validate(config).error());
  int status = 0;
  for (const auto& [name, context] : config.contexts) {
    const Result<void> usable = clientcmd::ConfirmUsable(config, name);
    std::cout << Printable((name == config.current_context ? "* " : "  ") + name) << ": ";
    if (usable) {
      std::cout << "ok\n";
      continue;
    }
    status = kFailure;
    std::cout << Printable(usable.error().message()) << '\n';
  }
  if (config.current_context.empty()) {
    std::cout << "no context is current; choose one with `kinformer config use NAME`\n";
  } else if (!config.contexts.contains(config.current_context)) {
    return Fail(clientcmd::ConfirmUsable(config).error());
  }
  return status;
}

// Returns this program's word for an action of kubectl's.
std::string ActionOf(const std::string& given) {
  if (given == "get-contexts") return "contexts";
  return given == "use-context" ? "use" : given;
}

int RunConfig(ConfigFlags& flags) {
  flags.action = ActionOf(flags.action);
  const bool use = flags.action == "use";
  if (use == flags.name.empty()) {
    return UsageError(use ? "which context? Write `kinformer config use NAME`"
                          : "unexpected argument \"" + flags.name + "\"");
  }
  if (!flags.output.empty() && flags.action != "contexts") {
    return UsageError("-o goes with contexts");
  }
  clientcmd::PathOptions files = clientcmd::NewDefaultPathOptions();
  files.explicit_path = flags.kubeconfig;
  Result<clientcmdapi::Config> config = files.GetStartingConfig();
  if (!config) return Fail(config.error());
  if (use) return Use(files, *std::move(config), flags.name);
  if (flags.action == "view") return View(*std::move(config), flags);
  if (flags.action == "contexts") return Contexts(*config, flags);
  if (flags.action == "current-context") return CurrentContext(*config);
  if (flags.action == "check") return Check(*config);
  return UsageError("\"" + flags.action +
                    "\" is none of view, contexts, current-context, use, check");
}

}  // namespace

void RegisterConfig(CommandLine& line) {
  auto flags = std::make_shared<ConfigFlags>();
  Command& command =
      line.Add("config", "Show, check or switch contexts of the kubeconfig; view hides secrets");
  command.Option("--kubeconfig", flags->kubeconfig, "FILE",
                 "kubeconfig to use in place of $KUBECONFIG or ~/.kube/config");
  command.Option("--context", flags->context, "NAME", "view: the context to take as the current");
  command.Flag("--minify", flags->minify, "view: the current context alone");
  command.Flag("--flatten", flags->flatten, "view: files of certificates and keys as data");
  command.Flag("--raw", flags->raw, "view: secrets as they are");
  command.Choice("-o,--output", flags->output, {"name"}, "contexts: the names alone", nullptr);
  command.Positional("ACTION", flags->action, /*required=*/true,
                     "view, contexts, current-context, use or check");
  command.Positional("NAME", flags->name, /*required=*/false, "use: the context");
  command.Run([flags] { return RunConfig(*flags); });
}

}  // namespace kinformer::cli
