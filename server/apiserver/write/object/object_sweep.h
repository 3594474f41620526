// apiserver/write/object/object_sweep.h
//
// ObjectSweep: walks over a part of a collection in turns of the loop, while the visitor changes
// the collection.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_OBJECT_SWEEP_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_OBJECT_SWEEP_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "apiserver/store/resource_store.h"
#include "base/core/work_slice.h"

namespace kinformer::apiserver {

// Loop-confined.
class ObjectSweep {
 public:
  // Sweeps the objects whose keys begin with `prefix`.
  explicit ObjectSweep(std::string prefix = {}) : prefix_(std::move(prefix)) {}

  // Continues, in the order of keys, over the state of `store` at `resource_version`, until the
  // turn is over. Calls `visit` for each object that satisfies `fits`; a few are gathered before
  // they are visited. Returns true at the end, or when `visit` returns false. REQUIRES: as
  // ResourceStore::Walk.
  bool Run(const ResourceStore& store, std::int64_t resource_version,
           const internal::base::WorkSlice& turn,
           const std::function<bool(const StoredObject&)>& fits,
           const std::function<bool(const StoredObject&)>& visit);

 private:
  std::string prefix_;
  std::string next_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_OBJECT_SWEEP_H_
