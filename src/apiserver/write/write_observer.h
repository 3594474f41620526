// apiserver/write/write_observer.h
//
// WriteObserver: hears of every write, as soon as readers can see it.

#ifndef KINFORMER_APISERVER_WRITE_WRITE_OBSERVER_H_
#define KINFORMER_APISERVER_WRITE_WRITE_OBSERVER_H_

#include "kinformer/json.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {

// Called on the loop, from inside the write. Whoever writes in turn posts that, or writes at once
// and is called again before the first call has returned.
class WriteObserver {
 public:
  virtual ~WriteObserver() = default;
  // An object was written in place of `old`, which is null for a new one. `object` is `stored`,
  // parsed.
  virtual void AfterPut(const ResourceAt& at, const StoredObjectPtr& old,
                        const StoredObjectPtr& stored, const json::Value& object) = 0;
  // An object is gone.
  virtual void AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_WRITE_OBSERVER_H_
