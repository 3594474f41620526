// kinformer/client/clientcmd.h
//
// Functions for commands: a Config from their flags, the kubeconfig that is equivalent to a Config,
// and the errors of loading that they handle. Config (config.h) itself reads kubeconfigs.
//
//   Config config = clientcmd::BuildConfigFromFlags("", "/home/u/dev.yaml").OrExit();
//
// Counterpart: the package clientcmd.

#ifndef KINFORMER_CLIENT_CLIENTCMD_H_
#define KINFORMER_CLIENT_CLIENTCMD_H_

#include <string>

#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/client/config.h"

namespace kinformer {

// Returns the text of a kubeconfig with one context (named `name`, and current) that is equivalent
// to `config`. Certificates are inlined as data; references to files stay.
std::string KubeconfigYaml(const Config& config, const std::string& name = "kinformer");

// Returns true if the error means that no configuration exists at all, rather than a wrong one.
[[nodiscard]] bool IsEmptyConfig(internal::MaybeError error);
// Returns true if the error means that the requested context does not exist.
[[nodiscard]] bool IsContextNotFound(internal::MaybeError error);

namespace clientcmd {

// Returns a Config from two flags, either of which may be empty; with both empty, the pod's own, or
// else LoadDefault's. Counterpart: clientcmd.BuildConfigFromFlags.
Result<Config> BuildConfigFromFlags(const std::string& master, const std::string& kubeconfig_path);

}  // namespace clientcmd

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_CLIENTCMD_H_
