// apiserver/write/write_observer.h
//
// WriteObserver: hears of every write, as soon as readers can see it.

#ifndef KINFORMER_APISERVER_WRITE_WRITE_OBSERVER_H_
#define KINFORMER_APISERVER_WRITE_WRITE_OBSERVER_H_

#include <memory>

#include "kinformer/json.h"

#include "apiserver/registry/reshaped_objects.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// An object was written.
struct ObjectPut {
  const ResourceAt& at;
  // In place of which it was; null for a new one.
  const StoredObjectPtr& old;
  const StoredObjectPtr& stored;
  // `stored`, parsed, or at least its outline: kDeletionOutline.
  const json::Value& object;
  // Of a definition whose spec is another than that of `old`, where somebody has read it already;
  // or null.
  std::shared_ptr<const DefinedResource> defined{};
  // The objects of its resource in the form that `defined` gives them, where somebody has begun
  // with them; or null.
  std::shared_ptr<ReshapedObjects> reshaped{};
};

// Called on the loop, from inside the write. Whoever writes in turn posts that, or writes at once
// and is called again before the first call has returned.
class WriteObserver {
 public:
  virtual ~WriteObserver() = default;
  virtual void AfterPut(const ObjectPut& put) = 0;
  // An object is gone.
  virtual void AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_WRITE_OBSERVER_H_
