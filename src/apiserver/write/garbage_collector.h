// apiserver/write/garbage_collector.h
//
// GarbageCollector: what kube-controller-manager's garbage collector does for objects with owners:
// dependents go after the last of their owners, are orphaned, or hold their owner back, as the
// delete of the owner asked for.

#ifndef KINFORMER_APISERVER_WRITE_GARBAGE_COLLECTOR_H_
#define KINFORMER_APISERVER_WRITE_GARBAGE_COLLECTOR_H_

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "kinformer/json.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/write/object_writer.h"
#include "apiserver/write/write_observer.h"

namespace kinformer::apiserver {

// Owners are those that this server has known: a reference to a uid that never existed leaves the
// dependent alone, so that tests can make objects with owners of their imagination. An owner in
// another namespace does not count; one without a namespace does. Works on the loop after the write
// that caused it, through ObjectWriter. Loop-confined.
class GarbageCollector final : public WriteObserver {
 public:
  GarbageCollector(ServerState& state, ObjectWriter& writer) : state_(state), writer_(writer) {}

  void AfterPut(const ResourceAt& at, const StoredObjectPtr& old, const StoredObjectPtr& stored,
                const json::Value& object) override;
  void AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) override;

 private:
  struct Place {
    std::shared_ptr<ServedResource> resource;
    std::string key;
    // By name: the order of addresses would differ from run to run.
    bool operator<(const Place& other) const {
      return std::tie(resource->group, resource->plural, key) <
             std::tie(other.resource->group, other.resource->plural, other.key);
    }
  };

  void IndexOwners(const ResourceAt& at, const StoredObjectPtr& old, const StoredObjectPtr& stored);
  void RememberGone(const StoredObjectPtr& old);
  [[nodiscard]] std::set<Place> DependentsOf(const std::string& uid, std::string_view ns) const;
  // The owner waits for its dependents, by one finalizer or the other.
  void Advance(const std::string& uid);
  // False: a dependent still blocks it.
  bool Finish(const StoredObjectPtr& owner, bool orphan);
  // Deletes the object, or takes references out of it, if owners of it have gone or are waiting for
  // it to go.
  void Attempt(const Place& place);
  // Whether an object that is to wait for its own dependents is, by way of them, an owner of what
  // waits for it: all of them would wait for ever.
  [[nodiscard]] bool ClosesCircle(const StoredObjectPtr& dependent) const;
  void DropOwners(const Place& place, const std::set<std::string>& uids);
  void ChangeOwners(const Place& place, const std::function<void(json::Array& owners)>& change);

  ServerState& state_;
  ObjectWriter& writer_;
  std::unordered_map<std::string, std::set<Place>> dependents_;  // by the owner's uid
  std::unordered_map<std::string, Place> waiting_;               // owners, by uid
  std::unordered_map<std::string, std::string> gone_;            // the namespace, by uid
  std::deque<std::string> gone_order_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_GARBAGE_COLLECTOR_H_
