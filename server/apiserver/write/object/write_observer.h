// apiserver/write/object/write_observer.h
//
// WriteObserver: is notified of every write as soon as readers can see it.

#ifndef KINFORMER_APISERVER_WRITE_OBJECT_WRITE_OBSERVER_H_
#define KINFORMER_APISERVER_WRITE_OBJECT_WRITE_OBSERVER_H_

#include <memory>

#include "kinformer/json/json.h"

#include "apiserver/registry/reshaped_objects.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// An object was written.
struct ObjectPut {
  const ResourceAt& at;
  // The object it replaces; null for a new one.
  const StoredObjectPtr& old;
  const StoredObjectPtr& stored;
  // `stored`, parsed, or at least its outline: kDeletionOutline.
  const json::Value& object;
  // Set for a definition whose spec differs from that of `old`, if it was parsed already; else
  // null.
  std::shared_ptr<const DefinedResource> defined{};
  // Stored objects of its resource converted to `defined`, if that was begun before the write; else
  // null.
  std::shared_ptr<ReshapedObjects> reshaped{};
};

// Called on the loop, inside the write. An observer that writes either posts that, or writes at
// once and is then called again before the first call returns.
class WriteObserver {
 public:
  virtual ~WriteObserver() = default;
  virtual void AfterPut(const ObjectPut& put) = 0;
  // An object was removed.
  virtual void AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) = 0;
  // All that is stored was replaced: an observer that remembers objects reads them again.
  virtual void AfterReplace() {}
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_OBJECT_WRITE_OBSERVER_H_
