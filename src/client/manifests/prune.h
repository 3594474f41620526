// client/manifests/prune.h
//
// Deletion of what an earlier apply brought and the manifests have no more.

#ifndef KINFORMER_CLIENT_MANIFESTS_PRUNE_H_
#define KINFORMER_CLIENT_MANIFESTS_PRUNE_H_

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/client/apply_manifests.h"
#include "kinformer/client/rest_mapping.h"
#include "kinformer/json/json.h"

#include "client/manifests/object_requests.h"

namespace kinformer::internal::manifests {

// Objects to look through.
struct PruneScope {
  std::vector<RestMapping> mappings{};
  std::set<std::string> namespaces{};  // of kinds with namespaces
  std::string label_selector{};
};

// Deletes the objects of the scope for which `is_ours` is true, except those with a uid of `keep`.
// Calls `on_result` for each. Returns the errors of lists; true in `all` if each delete succeeded.
struct Pruned {
  std::vector<Error> errors{};
  bool all = true;
};
Pruned Prune(const ObjectRequests& requests, const PruneScope& scope,
             const std::set<std::string>& keep, bool dry_run,
             const std::function<bool(const json::Value& object)>& is_ours,
             const std::function<void(ApplyResult result)>& on_result);

// Whether the object was applied by this manager, or by kubectl without server-side apply.
bool WasApplied(const json::Value& object, const std::string& field_manager);

// Returns the kinds that kubectl prunes.
std::vector<GroupVersionKind> DefaultAllowList();

}  // namespace kinformer::internal::manifests

#endif  // KINFORMER_CLIENT_MANIFESTS_PRUNE_H_
