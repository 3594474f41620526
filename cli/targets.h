// cli/targets.h
//
// Objects for which `wait`, `scale` and `rollout status` are called: by name, by selectors, or in
// files.

#ifndef KINFORMER_CLI_TARGETS_H_
#define KINFORMER_CLI_TARGETS_H_

#include <functional>
#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/request_options.h"

#include "cli/command_line.h"
#include "cli/connection.h"

namespace kinformer::cli {

struct TargetFlags {
  std::vector<std::string> arguments{};  // see arguments.h
  std::vector<std::string> files{};
  std::string namespace_{};
  bool all_namespaces = false;
  bool all = false;
  std::string label_selector{};
  std::string field_selector{};
};

// `help`: of the arguments.
void AddTargetFlags(Command& command, TargetFlags& flags, const std::string& help);

struct Target {
  RestMapping mapping{};
  std::string namespace_{};  // empty: cluster scope
  std::string name{};
  bool selected = false;  // found by a list, not named
  std::string uid{};      // of what was found by a list
  // Returns "deployment.apps/web", as kubectl prints objects.
  [[nodiscard]] std::string QualifiedName() const;
  // Returns "deployments/web", as kubectl's errors name them.
  [[nodiscard]] std::string ResourceName() const;
};

// Finds the objects, in the order of arguments and names. Those that are named need not exist.
// Errors in the flags themselves are kInvalidArgument; so is a resource without a name where
// neither `all` nor a selector says which objects are meant, unless `without_names`: then all are.
Result<std::vector<Target>> FindTargets(const Connection& connection, const TargetFlags& flags,
                                        const CallOptions& call, bool without_names = false);

// Calls `each` for the objects that the flags name, one after the other, and prints its errors.
// Returns the exit status: kFailure if there was an error, or no object (with `none` on standard
// error, unless that is empty).
int ForEachTarget(
    const ConnectionFlags& connection, const TargetFlags& flags, bool without_names,
    const std::string& none,
    const std::function<Result<void>(const Connection& connection, const Target& target,
                                     const CallOptions& call)>& each);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_TARGETS_H_
