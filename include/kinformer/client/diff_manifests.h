// kinformer/client/diff_manifests.h
//
// DiffManifests: tells what ApplyManifests would change, without changing anything.
//
//   ManifestList list = ReadManifests({"deploy.yaml"});
//   for (const ManifestDiff& diff : DiffManifests(client, list.manifests)) std::cout << diff.text;

#ifndef KINFORMER_CLIENT_DIFF_MANIFESTS_H_
#define KINFORMER_CLIENT_DIFF_MANIFESTS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/client/apply_manifests.h"
#include "kinformer/client/client.h"
#include "kinformer/client/manifests.h"
#include "kinformer/client/request_options.h"
#include "kinformer/json/json.h"

namespace kinformer {

// One object as it is and as it would be. Both lack metadata.managedFields, and a Secret has "***"
// in place of its data: "*** (before)" and "*** (after)" where they differ.
struct ManifestDiff {
  std::size_t manifest{0};  // index in the argument
  std::string name{};       // "apps.v1.Deployment.default.web"
  json::Value live{};       // null: the object does not exist
  json::Value merged{};     // as after the apply; a new object without the uid that it will get
  // Changed lines of both in YAML, each with three lines around, in the unified format; empty if
  // they are equal.
  std::string text{};
  std::optional<Error> error{};  // begins with the place in the file; the rest is then empty
  std::vector<FieldConflict> conflicts{};
};

// Options of a comparison. Members as in ApplyManifestsOptions.
struct DiffManifestsOptions {
  std::string fieldManager{"kinformer"};
  bool force_conflicts{false};
  std::string namespace_{"default"};
  bool enforce_namespace{false};
  bool show_managed_fields{false};
};

// Asks the server for a dry run of each apply, beside the object as it is. An object whose
// namespace or definition is among the manifests, but not yet on the server, is shown as the
// manifest has it. Blocks; on the loop every object fails with kWouldDeadlock. Counterpart: kubectl
// diff --server-side.
[[nodiscard]] std::vector<ManifestDiff> DiffManifests(const Client& client,
                                                      const std::vector<Manifest>& manifests,
                                                      const DiffManifestsOptions& options = {},
                                                      const CallOptions& call = {});

// Returns the changes between two texts in the unified format, with three lines around each; empty
// if they are equal.
[[nodiscard]] std::string UnifiedDiff(std::string_view from, std::string_view to,
                                      std::string_view from_name, std::string_view to_name);

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_DIFF_MANIFESTS_H_
