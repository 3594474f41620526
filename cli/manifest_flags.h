// cli/manifest_flags.h
//
// Options that `apply`, `diff` and `delete` share, and their values.

#ifndef KINFORMER_CLI_MANIFEST_FLAGS_H_
#define KINFORMER_CLI_MANIFEST_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/apply_manifests.h"
#include "kinformer/client/manifests.h"
#include "kinformer/client/rest_mapping.h"

#include "cli/command_line.h"
#include "cli/connection.h"

namespace kinformer::cli {

struct ManifestFlags {
  std::vector<std::string> files{};
  bool recursive = false;
  std::string namespace_{};
  std::string label_selector{};
};

void AddManifestFlags(Command& command, ManifestFlags& flags);

// Namespace of objects that name none, and whether -n was given, so that another one is an error.
struct NamespaceChoice {
  std::string name{};
  bool enforced = false;
};
NamespaceChoice ChooseNamespace(const Connection& connection, const std::string& flag);

// Reads the files, and keeps the objects with the labels. Prints warnings. An error of the selector
// is kInvalidArgument.
Result<ManifestList> ReadFlagged(const ManifestFlags& flags);

// Returns "configmap/a" or "deployment.apps/web".
std::string QualifiedName(const RestMapping& mapping, const std::string& name);

// Returns words for a value of --dry-run that is kubectl's; empty if there are none.
std::string DryRunHabit(std::string_view value);
// Parses "core/v1/Pod" or "apps/v1/Deployment".
Result<GroupVersionKind> ParseAllowed(const std::string& text);
// Parses "web", "cm/web" or "sets.example.com/web". The resource is empty for a Secret.
struct NamedParent {
  std::string resource{};
  std::string name{};
};
Result<NamedParent> ParseParent(const std::string& text);
// Parses a number of seconds; a negative one stands for none given, as in kubectl.
Result<std::int64_t> ParseGracePeriod(const std::string& text);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_MANIFEST_FLAGS_H_
