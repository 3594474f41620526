// Kubeconfig files, as far as no other file is read.

#include <string>

#include "config/kubeconfig.h"
#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {

void FuzzKubeconfig(std::string_view input) {
  const std::string text(input);
  Result<internal::config::Kubeconfig> parsed =
      internal::config::ParseKubeconfig(text, "config", "/base");
  if (!parsed) {
    Require(parsed.error().message().find("config") != std::string::npos, "an error names the file",
            parsed.error().message());
    return;
  }
  internal::config::Kubeconfig merged = *parsed;
  internal::config::MergeKubeconfig(merged, *parsed);
  Require(merged.clusters.size() == parsed->clusters.size() &&
              merged.users.size() == parsed->users.size() &&
              merged.contexts.size() == parsed->contexts.size() &&
              merged.current_context == parsed->current_context,
          "a file adds nothing to itself");
  internal::config::Kubeconfig from_nothing;
  internal::config::MergeKubeconfig(from_nothing, *parsed);
  Require(from_nothing.clusters.size() == parsed->clusters.size() &&
              from_nothing.current_context == parsed->current_context,
          "nothing and a file is the file");
  for (const auto& [name, cluster] : parsed->clusters) {
    Require(cluster.ca_file.empty() || cluster.ca_file.front() == '/', "paths are absolute",
            cluster.ca_file);
  }
}

}  // namespace kinformer::fuzz
