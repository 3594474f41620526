#include "client/manifests/prune.h"

#include <algorithm>
#include <utility>

#include "kinformer/base/result.h"

namespace kinformer::internal::manifests {
namespace {

constexpr char kLastApplied[] = "kubectl.kubernetes.io/last-applied-configuration";

}  // namespace

Pruned Prune(const ObjectRequests& requests, const PruneScope& scope,
             const std::set<std::string>& keep, bool dry_run,
             const std::function<bool(const json::Value& object)>& is_ours,
             const std::function<void(ApplyResult result)>& on_result) {
  Pruned pruned;
  for (const RestMapping& mapping : scope.mappings) {
    const std::set<std::string> places =
        mapping.namespaced ? scope.namespaces : std::set<std::string>{""};
    for (const std::string& place : places) {
      Result<std::vector<json::Value>> listed = requests.List(mapping, place, scope.label_selector);
      if (!listed) {
        pruned.errors.push_back(At("prune of " + mapping.resource.resource, listed.error()));
        pruned.all = false;
        continue;
      }
      for (json::Value& object : *listed) {
        const json::Value& metadata = std::as_const(object)["metadata"];
        const std::string uid = metadata["uid"].StringOrEmpty();
        // An object that is being deleted was pruned before.
        if (keep.contains(uid) || metadata.contains("deletionTimestamp") || !is_ours(object)) {
          continue;
        }
        const Target target{.mapping = mapping,
                            .namespace_ = metadata["namespace"].StringOrEmpty(),
                            .name = metadata["name"].StringOrEmpty()};
        ApplyResult result{.outcome = ApplyOutcome::kPruned,
                           .mapping = mapping,
                           .namespace_ = target.namespace_,
                           .name = target.name};
        if (Result<void> done = requests.Delete(target, uid, dry_run); !done) {
          result.outcome = ApplyOutcome::kFailed;
          result.error = At("prune of " + target.ToString(), std::move(done).error());
          pruned.all = false;
        } else {
          // Items of a list lack their kind.
          object.Ensure("apiVersion") = mapping.kind.apiVersion();
          object.Ensure("kind") = mapping.kind.kind;
          result.object = std::move(object);
        }
        on_result(std::move(result));
      }
    }
  }
  return pruned;
}

bool WasApplied(const json::Value& object, const std::string& field_manager) {
  const json::Value& metadata = object["metadata"];
  if (metadata["annotations"].contains(kLastApplied)) return true;
  const json::Array& entries = metadata["managedFields"].items();
  return std::any_of(entries.begin(), entries.end(), [&](const json::Value& entry) {
    return entry["operation"].StringOrEmpty() == "Apply" &&
           entry["manager"].StringOrEmpty() == field_manager;
  });
}

std::vector<GroupVersionKind> DefaultAllowList() {
  return {{"", "v1", "ConfigMap"},
          {"", "v1", "Endpoints"},
          {"", "v1", "Namespace"},
          {"", "v1", "PersistentVolumeClaim"},
          {"", "v1", "PersistentVolume"},
          {"", "v1", "Pod"},
          {"", "v1", "ReplicationController"},
          {"", "v1", "Secret"},
          {"", "v1", "Service"},
          {"batch", "v1", "CronJob"},
          {"batch", "v1", "Job"},
          {"networking.k8s.io", "v1", "Ingress"},
          {"apps", "v1", "DaemonSet"},
          {"apps", "v1", "Deployment"},
          {"apps", "v1", "ReplicaSet"},
          {"apps", "v1", "StatefulSet"}};
}

}  // namespace kinformer::internal::manifests
