// apiserver/write/background/lifecycle.h
//
// Lifecycle: the controllers of the control plane without which clients of a lone API server would
// wait for ever. They empty deleted namespaces, serve the resources of definitions and delete them
// with their objects, collect dependents of deleted owners, remove pods after their grace period,
// expire events, and do what admission plug-ins need.

#ifndef KINFORMER_APISERVER_WRITE_BACKGROUND_LIFECYCLE_H_
#define KINFORMER_APISERVER_WRITE_BACKGROUND_LIFECYCLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "kinformer/json/json.h"

#include "apiserver/registry/custom_resource_definition.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/write/background/event_expiry.h"
#include "apiserver/write/background/garbage_collector.h"
#include "apiserver/write/background/namespace_controller.h"
#include "apiserver/write/background/resource_quota_controller.h"
#include "apiserver/write/background/service_account_controller.h"
#include "apiserver/write/object/object_sweep.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/object/write_observer.h"

namespace kinformer::apiserver {

// Loop-confined.
class Lifecycle final : private WriteObserver {
 public:
  // Observes `writer`, which must make no write after the destruction of this.
  Lifecycle(ServerState& state, ObjectWriter& writer);
  Lifecycle(const Lifecycle&) = delete;
  Lifecycle& operator=(const Lifecycle&) = delete;

  // Serves the resources of the stored definitions, and no others: what is stored was replaced. A
  // resource whose definition has not changed is kept, with its store.
  void ReplaceDefinitions();

 private:
  void AfterPut(const ObjectPut& put) override;
  void AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) override;
  // Continues with namespaces, pods and definitions that are being deleted.
  void AfterReplace() override;
  // Handle writes of CustomResourceDefinitions.
  void AfterPutDefinition(const ObjectPut& put);
  void AfterRemoveDefinition(const std::string& name);
  // Returns the resource that the definition of that name defines; null if it is not served.
  [[nodiscard]] std::shared_ptr<ServedResource> ResourceOf(const std::string& name) const;
  // Removes the pod when its grace period has passed.
  void EndGracePeriod(const ResourceAt& at, const StoredObjectPtr& pod, std::int64_t seconds);
  // Updates a definition's status, and serves its resource.
  void EstablishDefinition(const ResourceAt& at, const std::string& name);
  void Serve(const std::string& name);
  // Returns the names in a group that are used by others than `name`.
  [[nodiscard]] TakenNames NamesTaken(const std::string& group, const std::string& name) const;
  // Establishes definitions whose names have become free.
  void RetryNames(const std::string& group);
  // Changes metadata or status of a definition, if it exists. `target` selects the part.
  void Amend(const WriteTarget& target, const ObjectWriter::OutlineChange& change);
  // Destroys objects that are expensive to destroy, once no longer used.
  void Discard(std::shared_ptr<const void> garbage, std::size_t bytes);
  void SweepDefinition(const std::string& name);

  ServerState& state_;
  ObjectWriter& writer_;
  GarbageCollector collector_;
  EventExpiry event_expiry_;
  NamespaceController namespaces_;
  // For admission plug-ins; null: off.
  std::unique_ptr<ResourceQuotaController> quotas_;
  std::unique_ptr<ServiceAccountController> accounts_;
  // Deletions of a deleted definition's objects under way, by the definition's name.
  std::map<std::string, ObjectSweep> sweeps_;

  // Parts of a definition that are needed again, cached to avoid parsing all of it.
  struct Definition {
    StoredObjectPtr stored{};
    // Metadata, status, spec.group and spec.names.
    json::Value outline{};
    std::shared_ptr<const DefinedResource> defined{};
    json::Value accepted_names{};  // null: not determined yet
    // Conversion of the stored objects to `defined`, if one is under way.
    std::shared_ptr<ReshapedObjects> reshaped{};
  };
  // By name. Outdated after a restore of the state.
  std::map<std::string, Definition> definitions_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_BACKGROUND_LIFECYCLE_H_
