// kinformer/client/apply_manifests.h
//
// ApplyManifests: brings the objects of manifests to a server by server-side apply, and deletes
// what an earlier call applied and the manifests have no more.
//
//   ManifestList list = ReadManifests({"deploy.yaml"});
//   ApplyReport report = ApplyManifests(client, list.manifests, {.fieldManager = "deployer"});
//   for (const ApplyResult& result : report.results) {
//     if (result.error) std::cerr << *result.error << '\n';
//   }

#ifndef KINFORMER_CLIENT_APPLY_MANIFESTS_H_
#define KINFORMER_CLIENT_APPLY_MANIFESTS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/error.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/client.h"
#include "kinformer/client/manifests.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/rest_mapping.h"
#include "kinformer/json/json.h"
#include "kinformer/object/group_version_kind.h"

namespace kinformer {

// Deletes objects with certain labels that the manifests have no more: those that this field
// manager, or kubectl without server-side apply, has applied, in the namespaces of the manifests'
// objects and without a namespace. Counterpart: kubectl apply --prune -l.
struct PruneByLabel {
  std::string label_selector{};  // empty: all objects
  // Kinds of which objects are deleted. Empty: those of kubectl: ConfigMap, Endpoints, Namespace,
  // PersistentVolume, PersistentVolumeClaim, Pod, ReplicationController, Secret, Service, CronJob,
  // Job, Ingress, DaemonSet, Deployment, ReplicaSet, StatefulSet.
  std::vector<GroupVersionKind> allow_list{};
};

// Names an apply set: a parent object says which kinds and namespaces the set has, and each member
// has a label with its id. Members that the manifests have no more are deleted, and nothing else.
// The parent is a Secret, a ConfigMap, or a custom resource whose definition has the label
// "applyset.kubernetes.io/is-parent-type" with the value "true". A Secret or ConfigMap is made if
// there is none. Counterpart: kubectl apply --prune --applyset (KEP-3659).
struct ApplySet {
  std::string name{};
  std::string namespace_{};  // empty for a parent without a namespace
  GroupVersionKind kind{.group = "", .version = "v1", .kind = "Secret"};
  // Name and version of the program that owns the set; another name than that in the parent is an
  // error. Empty: "kinformer/" and its version.
  std::string tooling{};
};

// Returns the id of a set: "applyset-", a hash of the parent's name, namespace, kind and group, and
// "-v1".
[[nodiscard]] std::string ApplySetId(const ApplySet& set);

// Fate of one object.
enum class ApplyOutcome : std::uint8_t {
  kCreated,
  kConfigured,  // it was there, and has changed
  kUnchanged,
  kApplied,  // kConfigured or kUnchanged: ApplyManifestsOptions::compare is false
  kPruned,   // deleted; or is being deleted, if it has finalizers
  kFailed,
};

// Fields that another manager owns, with other values.
struct FieldConflict {
  std::string manager{};
  std::vector<std::string> fields{};  // ".data.color"
};

// The outcome for one object.
struct ApplyResult {
  // Index of the manifest in the argument; empty for a pruned object.
  std::optional<std::size_t> manifest{};
  ApplyOutcome outcome{};
  RestMapping mapping{};  // empty if the server does not know the kind
  std::string namespace_{};
  std::string name{};
  // The object as the server has it now; a pruned one as it was. Null if it failed.
  json::Value object{};
  // Reason of kFailed; the message begins with the place in the file.
  std::optional<Error> error{};
  // For a failure with the reason kConflict: who owns which fields.
  std::vector<FieldConflict> conflicts{};
};

// The outcome of a whole apply.
struct ApplyReport {
  // One for each manifest, in the order of their applies, then one for each pruned object.
  std::vector<ApplyResult> results{};
  // Reasons why no object was applied or pruned: a bad selector, a foreign apply set, a list that
  // failed.
  std::vector<Error> errors{};
  [[nodiscard]] bool ok() const;
};

// Options of an apply.
struct ApplyManifestsOptions {
  std::string fieldManager{"kinformer"};
  bool force_conflicts{false};  // takes fields from other managers
  // Has the server check and answer, but change nothing.
  bool dry_run{false};
  std::string fieldValidation{"Strict"};
  // Namespace of objects that name none. With `enforce_namespace`, another one is an error.
  std::string namespace_{"default"};
  bool enforce_namespace{false};
  ManifestOrder order{ManifestOrder::kGiven};
  // Reads each object before, to tell kConfigured from kUnchanged. Members of a set are always
  // read, so that none is taken from another set.
  bool compare{true};
  // Limit of the wait for each CustomResourceDefinition among the manifests, if objects of its kind
  // follow.
  TimeSpan definition_timeout{std::chrono::minutes(1)};
  // At most one of these. Nothing is pruned if an apply has failed.
  std::optional<PruneByLabel> prune{};
  std::optional<ApplySet> apply_set{};
  // Called after each object, on the calling thread. Its exceptions pass through.
  std::function<void(const ApplyResult& result)> on_result{};
};

// Applies the objects one after the other; one that fails does not stop the others. If a
// CustomResourceDefinition is among the manifests, its objects wait until it is established and the
// server serves the kind. Blocks; on the loop every object fails with kWouldDeadlock. `call` limits
// the whole. Counterpart: kubectl apply --server-side.
[[nodiscard]] ApplyReport ApplyManifests(const Client& client,
                                         const std::vector<Manifest>& manifests,
                                         const ApplyManifestsOptions& options = {},
                                         const CallOptions& call = {});

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_APPLY_MANIFESTS_H_
