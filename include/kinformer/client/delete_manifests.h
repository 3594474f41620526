// kinformer/client/delete_manifests.h
//
// DeleteManifests: deletes the objects of manifests, in reverse order, and waits until they are
// gone.
//
//   ManifestList list = ReadManifests({"deploy.yaml"});
//   for (const DeleteResult& result : DeleteManifests(client, list.manifests)) {
//     if (result.error) std::cerr << *result.error << '\n';
//   }

#ifndef KINFORMER_CLIENT_DELETE_MANIFESTS_H_
#define KINFORMER_CLIENT_DELETE_MANIFESTS_H_

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

namespace kinformer {

// Object to be deleted.
struct DeleteTarget {
  RestMapping mapping{};
  std::string namespace_{};  // empty for a kind without namespaces
  std::string name{};
  std::string place{};  // put in front of errors, if not empty
};

// The outcome for one object.
struct DeleteResult {
  DeleteTarget target{};
  // Whether the server has accepted the delete. With `error`, the object was not gone in time.
  bool deleted{false};
  // The object did not exist, and DeleteManifestsOptions::ignore_not_found is set.
  bool absent{false};
  std::optional<Error> error{};
};

// Options of a delete.
struct DeleteManifestsOptions {
  // Fate of the objects that belong to a deleted one: "Background" deletes them later, "Foreground"
  // before it, "Orphan" leaves them.
  std::string propagationPolicy{"Background"};
  std::optional<std::int64_t> gracePeriodSeconds{};
  bool ignore_not_found{false};
  bool dry_run{false};
  // Namespace of manifests that name none. With `enforce_namespace`, another one is an error.
  std::string namespace_{"default"};
  bool enforce_namespace{false};
  // Order of creation, of which DeleteManifests takes the reverse.
  ManifestOrder order{ManifestOrder::kInstall};
  // Waits until each object is gone, after all deletes are sent; at most wait_timeout in all, or
  // without limit if that is 0. kDeadlineExceeded after it.
  bool wait{true};
  TimeSpan wait_timeout{};
  // Called after each delete, before the wait, and again for an object that is not gone in time. On
  // the calling thread; its exceptions pass through.
  std::function<void(const DeleteResult& result)> on_result{};
};

// Deletes one after the other, in the order given; one that fails does not stop the others. Blocks;
// on the loop every object fails with kWouldDeadlock. Counterpart: kubectl delete.
[[nodiscard]] std::vector<DeleteResult> DeleteObjects(const Client& client,
                                                      const std::vector<DeleteTarget>& targets,
                                                      const DeleteManifestsOptions& options = {},
                                                      const CallOptions& call = {});
// Does the same with the objects of manifests, in the reverse of options.order. A kind that the
// server does not know, because its definition is gone, has no objects: kNotFound.
[[nodiscard]] std::vector<DeleteResult> DeleteManifests(const Client& client,
                                                        const std::vector<Manifest>& manifests,
                                                        const DeleteManifestsOptions& options = {},
                                                        const CallOptions& call = {});

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_DELETE_MANIFESTS_H_
