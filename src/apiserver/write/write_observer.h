// apiserver/write/write_observer.h
//
// WriteObserver: hears of every write, as soon as readers can see it.

#ifndef KINFORMER_APISERVER_WRITE_WRITE_OBSERVER_H_
#define KINFORMER_APISERVER_WRITE_WRITE_OBSERVER_H_

#include <memory>

#include "kinformer/json.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// An object was written.
struct ObjectPut {
  const ResourceAt& at;
  // In place of which it was; null for a new one.
  const StoredObjectPtr& old;
  const StoredObjectPtr& stored;
  // `stored`, parsed; of a definition at least its metadata, its status, spec.group and spec.names.
  const json::Value& object;
  // Of a definition whose spec is another than that of `old`, where somebody has read it already;
  // or null.
  std::shared_ptr<const DefinedResource> defined{};
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
