// apiserver/write/lifecycle.h
//
// Lifecycle: what the controllers of a real control plane do for objects that are on their way out
// or in, and without which a lone API server would leave clients waiting for ever: namespaces that
// empty themselves, definitions that become resources and take their objects with them, dependents
// that follow their owners, pods whose grace period ends, events that expire.

#ifndef KINFORMER_APISERVER_WRITE_LIFECYCLE_H_
#define KINFORMER_APISERVER_WRITE_LIFECYCLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "kinformer/json.h"

#include "apiserver/registry/custom_resource_definition.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/write/event_expiry.h"
#include "apiserver/write/garbage_collector.h"
#include "apiserver/write/namespace_controller.h"
#include "apiserver/write/object_sweep.h"
#include "apiserver/write/object_writer.h"
#include "apiserver/write/write_observer.h"

namespace kinformer::apiserver {

// Loop-confined.
class Lifecycle final : private WriteObserver {
 public:
  // Observes `writer`, which makes no write any more once this is gone.
  Lifecycle(ServerState& state, ObjectWriter& writer);
  Lifecycle(const Lifecycle&) = delete;
  Lifecycle& operator=(const Lifecycle&) = delete;

 private:
  void AfterPut(const ObjectPut& put) override;
  void AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) override;
  // Of a definition.
  void AfterPutDefinition(const ObjectPut& put);
  void AfterRemoveDefinition(const std::string& name);
  // The resource that a definition of that name has made; null where it is not served.
  [[nodiscard]] std::shared_ptr<ServedResource> ResourceOf(const std::string& name) const;
  // Deletes the pod for good once its grace period is over.
  void EndGracePeriod(const ResourceAt& at, const StoredObjectPtr& pod, std::int64_t seconds);
  // Brings a definition's status up to date, and serves what it says.
  void EstablishDefinition(const ResourceAt& at, const std::string& name);
  void Serve(const std::string& name);
  // Those of a group that others than `name` have.
  [[nodiscard]] TakenNames NamesTaken(const std::string& group, const std::string& name) const;
  // Definitions whose names were taken may have them now.
  void RetryNames(const std::string& group);
  // Changes the metadata or the status of a definition, if it is there. `target`: what of it.
  void Amend(const WriteTarget& target, const ObjectWriter::OutlineChange& change);
  // Does away with what it costs much to destroy, when nobody uses it any more.
  void Discard(std::shared_ptr<const void> garbage, std::size_t bytes);
  void SweepDefinition(const std::string& name);

  ServerState& state_;
  ObjectWriter& writer_;
  GarbageCollector collector_;
  EventExpiry event_expiry_;
  NamespaceController namespaces_;
  // Over the objects of definitions that are on their way out, by the definition.
  std::map<std::string, ObjectSweep> sweeps_;

  // What there is to know of a definition without reading all of it again.
  struct Definition {
    StoredObjectPtr stored{};
    // Its metadata and its status, spec.group and spec.names.
    json::Value outline{};
    std::shared_ptr<const DefinedResource> defined{};
    json::Value accepted_names{};  // null where it has not been looked at yet
    // What has been begun for `defined`.
    std::shared_ptr<ReshapedObjects> reshaped{};
  };
  // By name. A restored state may have other ones.
  std::map<std::string, Definition> definitions_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_LIFECYCLE_H_
