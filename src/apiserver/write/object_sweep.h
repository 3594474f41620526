// apiserver/write/object_sweep.h
//
// ObjectSweep: a walk over a part of a collection, in turns of the loop, by somebody who changes it
// as he goes.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_SWEEP_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_SWEEP_H_

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
  // Of the objects whose keys start with `prefix`.
  explicit ObjectSweep(std::string prefix = {}) : prefix_(std::move(prefix)) {}

  // Goes on, in the order of keys, with what `store` has at `resource_version`, until the turn is
  // over: looks for objects that fit, and calls `visit` for each of them; some are found before
  // they are visited. True: there are no more, or `visit` has said false.
  // REQUIRES: as ResourceStore::Walk.
  bool Run(const ResourceStore& store, std::int64_t resource_version,
           const internal::base::WorkSlice& turn,
           const std::function<bool(const StoredObject&)>& fits,
           const std::function<bool(const StoredObject&)>& visit);

 private:
  std::string prefix_;
  std::string next_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_SWEEP_H_
