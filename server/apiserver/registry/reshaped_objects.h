// apiserver/registry/reshaped_objects.h
//
// ReshapedObjects: converts the stored objects of a custom resource to a new definition.

#ifndef KINFORMER_APISERVER_REGISTRY_RESHAPED_OBJECTS_H_
#define KINFORMER_APISERVER_REGISTRY_RESHAPED_OBJECTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/env.h"

#include "apiserver/registry/defined_resource.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/store/resource_store.h"
#include "base/core/work_slice.h"

namespace kinformer::apiserver {

// Prunes objects and sets defaults and selectable fields, as if they had been stored under the new
// definition, by the schema of its storage version or, with a conversion webhook, of the version
// each is stored in. Keeps resourceVersions. Works in steps: Collect gathers all objects in turns
// of the loop; Shape puts them into a new store, on any thread; CollectBehind gathers later writes,
// repeated until few are left. Finally the new store replaces the old one in one turn, so no reader
// sees a mixture of both.
//
// Loop-confined except for Shape, which must not run concurrently with other calls.
class ReshapedObjects {
 public:
  // `resource` may or may not have been updated to `defined` already.
  ReshapedObjects(std::shared_ptr<const DefinedResource> defined, const ServedResource& resource,
                  HistoryLimits limits, SteadyTime now);

  // Returns whether this was made for that resource and definition, and the event log still has all
  // writes since.
  [[nodiscard]] bool Fit(const ServedResource& resource,
                         const std::shared_ptr<const DefinedResource>& defined) const;
  // Gathers objects until the turn is over; null `turn`: all of them. Returns true once complete.
  bool Collect(std::int64_t resource_version, const internal::base::WorkSlice* turn);
  // Size in bytes of the objects written since, and the step that gathers them.
  [[nodiscard]] std::size_t BytesBehind() const;
  void CollectBehind();
  // Thread-safe. The cost grows with the number of objects gathered since the last call.
  void Shape();
  // Returns whether some objects are stored in another version than the storage version.
  [[nodiscard]] bool mixed_forms() const { return mixed_forms_; }
  // Returns the new store, or null if no object has changed. Without history before
  // `resource_version`, as no event describes the changes. REQUIRES: all is collected and shaped.
  [[nodiscard]] std::shared_ptr<ResourceStore> Result(std::int64_t resource_version) const;

 private:
  void Put(const StoredObject& stored);
  // Returns the schema of the version the object is stored in; null if the definition dropped it.
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
  std::size_t grown_ = 0;  // bytes by which defaults have enlarged all objects
};

// Updates the objects of `resource` after a change of its definition: with `ready`, if it was made
// for that definition, else at once, which costs as much as reading all objects. Returns the
// replaced store, to be destroyed elsewhere; null if it was kept.
std::shared_ptr<ResourceStore> ReshapeObjects(ServedResource& resource,
                                              std::shared_ptr<ReshapedObjects> ready,
                                              std::int64_t resource_version, HistoryLimits limits,
                                              SteadyTime now);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_RESHAPED_OBJECTS_H_
