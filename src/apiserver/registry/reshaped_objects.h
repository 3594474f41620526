// apiserver/registry/reshaped_objects.h
//
// ReshapedObjects: the stored objects of a custom resource as another definition of it has them.

#ifndef KINFORMER_APISERVER_REGISTRY_RESHAPED_OBJECTS_H_
#define KINFORMER_APISERVER_REGISTRY_RESHAPED_OBJECTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/env.h"

#include "apiserver/registry/defined_resource.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/store/resource_store.h"
#include "base/core/work_slice.h"

namespace kinformer::apiserver {

// Pruned, with defaults and selectable fields, as if they had been stored under that definition:
// as its storage version or, where a webhook converts, as the version in which they are stored;
// each with its resourceVersion. In steps: all are collected, in turns of the loop; Shape puts what
// has been collected into a store of its own, on any thread; then what has been written meanwhile,
// again and again, until little of it is left. In the end that store takes the place of the old one
// in one turn: no reader sees some objects in one form and some in the other.
//
// Loop-confined but for Shape, which must not run beside any other call.
class ReshapedObjects {
 public:
  // Of `resource`, which does not know `defined` yet, or does already.
  ReshapedObjects(std::shared_ptr<const DefinedResource> defined, const ServedResource& resource,
                  HistoryLimits limits, SteadyTime now);

  // Whether they are those of that resource, as that definition has them, and nothing of what has
  // been written since is lost.
  [[nodiscard]] bool Fit(const ServedResource& resource,
                         const std::shared_ptr<const DefinedResource>& defined) const;
  // Goes on until the turn is over; null: to the end. True: that was all.
  bool Collect(std::int64_t resource_version, const internal::base::WorkSlice* turn);
  // What has been written since: the bytes of it, and on with them.
  [[nodiscard]] std::size_t BytesBehind() const;
  void CollectBehind();
  // On any thread. Costs by what has been collected since the last time.
  void Shape();
  // Whether some are stored as another version than objects are stored from now on.
  [[nodiscard]] bool mixed_forms() const { return mixed_forms_; }
  // With no history before `resource_version`, since no event says what has changed; null: nothing
  // has. REQUIRES: all is collected and shaped.
  [[nodiscard]] std::shared_ptr<ResourceStore> Result(std::int64_t resource_version) const;

 private:
  void Put(const StoredObject& stored);
  // Of the version in which that is stored; null: the definition has it no more.
  [[nodiscard]] const StructuralSchema* SchemaOf(const StoredObject& stored) const;

  const std::shared_ptr<const DefinedResource> defined_;
  std::shared_ptr<const ServedVersion> storage_{};
  const std::shared_ptr<const std::vector<std::string>> forms_;
  const std::shared_ptr<ResourceStore> from_;
  const SteadyTime now_;
  std::string next_{};
  std::uint64_t next_event_;
  std::vector<StoredObjectPtr> collected_{};
  const std::shared_ptr<ResourceStore> to_;
  bool changed_ = false;
  bool mixed_forms_ = false;
  std::size_t grown_ = 0;  // bytes that all are larger than they were
};

// Brings the objects of `resource` to what it says now, after its definition has changed: by
// `ready`, if that has been begun for it, or at once, which costs as much as reading all of them.
// Gives the store that was there before, for others to destroy; null: it is still there.
std::shared_ptr<ResourceStore> ReshapeObjects(ServedResource& resource,
                                              std::shared_ptr<ReshapedObjects> ready,
                                              std::int64_t resource_version, HistoryLimits limits,
                                              SteadyTime now);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_RESHAPED_OBJECTS_H_
