// config/plugin_policy.h
//
// Decides whether a credential plugin may run.

#ifndef KINFORMER_CONFIG_PLUGIN_POLICY_H_
#define KINFORMER_CONFIG_PLUGIN_POLICY_H_

#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/client/config.h"

namespace kinformer::internal::config {

// kConfig if the policy contradicts itself: an unknown type, a list without "Allowlist" or the
// other way round, an empty entry.
Result<void> CheckPolicy(const ExecConfig& exec);

// kConfig if the policy forbids this plugin.
Result<void> PluginAllowed(const ExecConfig& exec);

// Returns the absolute path of the program that a name or path means in this `path` (the variable's
// text); empty if there is none. Relative folders of the variable do not count, as in Go.
std::string LookPath(const std::string& name, std::string_view path);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_PLUGIN_POLICY_H_
