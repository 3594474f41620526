// kinformer completion: scripts for shells; and kinformer __complete, which answers them.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/client/clientcmd.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/rest_request.h"
#include "kinformer/json/json.h"

#include "base/text/number_in.h"
#include "cli/commands.h"
#include "cli/completion_scripts.h"
#include "cli/completion_words.h"
#include "cli/report.h"

namespace kinformer::cli {
namespace {

// A person waits with a finger on a key.
constexpr double kPatience = 1.5;
constexpr double kMostPatience = 3600;
constexpr char kMostObjects[] = "500";

// Returns the seconds that all requests have together.
double Patience() {
  const char* const own = std::getenv("KINFORMER_COMPLETION_SECONDS");
  const double seconds = own == nullptr ? 0 : internal::base::NumberIn<double>(own).value_or(0);
  return seconds > 0 ? std::min(seconds, kMostPatience) : kPatience;
}

// Returns the folder that kubectl uses, too; empty if there is none.
std::string CacheFolder() {
  const char* const own = std::getenv("KUBECACHEDIR");
  if (own != nullptr && *own != '\0') return std::string(own) + "/discovery";
  const char* const home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? "" : std::string(home) + "/.kube/cache/discovery";
}

// Asks the kubeconfig and the server. Errors become empty lists.
class ServerNames final : public LiveNames {
 public:
  explicit ServerNames(const TypedLine& typed) {
    const auto take = [&](const char* option, std::string& value) {
      const auto found = typed.values.find(option);
      if (found != typed.values.end()) value = found->second;
    };
    take("kubeconfig", flags_.kubeconfig);
    take("context", flags_.context);
    take("server", flags_.server);
    take("token", flags_.token);
    take("certificate-authority", flags_.certificate_authority);
    flags_.insecure_skip_tls_verify = typed.values.contains("insecure-skip-tls-verify");
  }

  std::vector<Candidate> Contexts() override {
    clientcmd::PathOptions files = clientcmd::NewDefaultPathOptions();
    files.explicit_path = flags_.kubeconfig;
    std::vector<Candidate> names;
    const Result<clientcmdapi::Config> config = files.GetStartingConfig();
    if (!config) return names;
    for (const auto& [name, context] : config->contexts) names.push_back({name, context.cluster});
    return names;
  }

  std::vector<Candidate> Resources() override {
    std::vector<Candidate> names;
    if (!Open()) return names;
    const Result<std::vector<ApiGroupVersion>> groups =
        discovery_->ServerPreferredResources(Limits());
    if (!groups) return names;
    for (const ApiGroupVersion& version : *groups) {
      for (const ApiResource& resource : version.resources) {
        if (!resource.Supports("list")) continue;
        const std::string& plural = resource.resource.resource;
        // The core group stands first, and has the short name.
        const bool taken = std::any_of(names.begin(), names.end(),
                                       [&](const Candidate& name) { return name.word == plural; });
        names.push_back({taken ? plural + "." + version.group : plural,
                         resource.kind + " of " + version.groupVersion()});
      }
    }
    return names;
  }

  std::vector<Candidate> Objects(const std::string& resource,
                                 const std::string& namespace_) override {
    std::vector<Candidate> names;
    if (!Open()) return names;
    const Result<RestMapping> mapping = discovery_->MappingFor(resource, Limits());
    if (!mapping) return names;
    const std::string& own = connection_->config.namespace_;
    RestRequest request =
        RestClient(connection_->client, {mapping->resource.group, mapping->resource.version}).Get();
    request
        .NamespaceIfScoped(!namespace_.empty() ? namespace_
                           : own.empty()       ? "default"
                                               : own,
                           mapping->namespaced)
        .Resource(mapping->resource.resource)
        .Param("limit", kMostObjects)
        .SetHeader("Accept",
                   "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, "
                   "application/json");
    const Result<RestResponse> answer = request.Do(Limits());
    const Result<json::Value> list = answer ? answer->Json() : Result<json::Value>(answer.error());
    const json::Array* const items = list ? (*list)["items"].IfArray() : nullptr;
    if (items == nullptr) return names;
    for (const json::Value& item : *items) {
      names.push_back({item["metadata"]["name"].StringOrEmpty(), ""});
    }
    return names;
  }

 private:
  // Connects at the first use. Returns false if that is not possible.
  bool Open() {
    if (opened_) return discovery_.has_value();
    opened_ = true;
    Result<Connection> connection = Connect(flags_);
    if (!connection) return false;
    connection_.emplace(*std::move(connection));
    deadline_ = connection_->client.env().Now() +
                std::chrono::duration_cast<Duration>(std::chrono::duration<double>(Patience()));
    Result<DiscoveryClient> cached =
        NewCachedDiscoveryClient(connection_->client, {.directory = CacheFolder()});
    discovery_ = cached ? *std::move(cached) : connection_->client.Discovery();
    return true;
  }
  // Returns the time that is left for all requests together.
  [[nodiscard]] CallOptions Limits() const {
    const Duration left = deadline_ - connection_->client.env().Now();
    return {.timeout = std::max(left, Duration(std::chrono::milliseconds(1)))};
  }

  ConnectionFlags flags_;
  bool opened_ = false;
  std::optional<Connection> connection_;
  std::optional<DiscoveryClient> discovery_;
  SteadyTime deadline_{};
};

int RunComplete(const ProgramHelp& program, const std::vector<std::string>& words) {
  // The last resort, against a credential plugin that hangs. No message: the shell shows a prompt.
  std::signal(SIGALRM, [](int) { _exit(0); });
  alarm(static_cast<unsigned>(Patience() * 2));
  const TypedLine typed = ReadTyped(program, words);
  ServerNames names(typed);
  std::cout << CompletionText(Complete(program, typed, names)) << std::flush;
  return 0;
}

int RunCompletion(const std::string& shell) {
  const std::string_view script = CompletionScript(shell);
  if (script.empty()) return UsageError("\"" + shell + "\" is none of bash, zsh, fish");
  std::cout << script << std::flush;
  return 0;
}

}  // namespace

void RegisterCompletion(CommandLine& line) {
  auto shell = std::make_shared<std::string>();
  Command& command = line.Add("completion", "Print the script by which a shell completes commands");
  command.Positional("SHELL", *shell, /*required=*/true,
                     "bash, zsh or fish; to try it: source <(kinformer completion bash)");
  command.Run([shell] { return RunCompletion(*shell); });
  // The line outlives what it runs.
  line.Hidden("__complete", [&line](const std::vector<std::string>& words) {
    return RunComplete(line.Describe(), words);
  });
}

}  // namespace kinformer::cli
