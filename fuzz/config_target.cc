// Kubeconfig files, as far as no other file is read.

#include <string>

#include "config/kubeconfig.h"
#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {

void FuzzKubeconfig(std::string_view input) {
  const std::string text(input);
  Result<clientcmdapi::Config> parsed = internal::config::ParseKubeconfig(text, "config", "/base");
  if (!parsed) {
    Require(parsed.error().message().find("config") != std::string::npos, "an error names the file",
            parsed.error().message());
    return;
  }
  clientcmdapi::Config merged = *parsed;
  internal::config::MergeKubeconfig(merged, *parsed);
  Require(merged.clusters.size() == parsed->clusters.size() &&
              merged.auth_infos.size() == parsed->auth_infos.size() &&
              merged.contexts.size() == parsed->contexts.size() &&
              merged.current_context == parsed->current_context,
          "a file adds nothing to itself");
  clientcmdapi::Config from_nothing;
  internal::config::MergeKubeconfig(from_nothing, *parsed);
  Require(from_nothing.clusters.size() == parsed->clusters.size() &&
              from_nothing.current_context == parsed->current_context,
          "nothing and a file is the file");
  for (const auto& [name, cluster] : parsed->clusters) {
    Require(cluster.certificate_authority.empty() || cluster.certificate_authority.front() == '/',
            "paths are absolute", cluster.certificate_authority);
  }
}

}  // namespace kinformer::fuzz
