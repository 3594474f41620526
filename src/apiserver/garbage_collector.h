// apiserver/garbage_collector.h
//
// GarbageCollector: what kube-controller-manager's garbage collector does for objects with owners: dependents go after the last of
// their owners, are orphaned, or hold their owner back, as the delete of the owner asked for.

#ifndef KINFORMER_SRC_APISERVER_GARBAGE_COLLECTOR_H_
#define KINFORMER_SRC_APISERVER_GARBAGE_COLLECTOR_H_

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "kinformer/json.h"

#include "apiserver/server_state.h"

namespace kinformer::apiserver {

class ObjectWriter;

inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

// Puts the finalizers of a propagation policy (Orphan, Background, Foreground; empty: as the object has it) into an object that is
// about to be deleted. True: they have changed.
bool SetCollectorFinalizers(std::string_view policy, json::Value& object);

// Owners are those that this server has known: a reference to a uid that never existed leaves the dependent alone, so that tests
// can make objects with owners of their imagination. An owner in another namespace does not count; one without a namespace
// does. Works on the loop after the write that caused it, through ObjectWriter. Loop-confined.
class GarbageCollector {
 public:
  GarbageCollector(ServerState& state, ObjectWriter& writer) : state_(state), writer_(writer) {}

  void AfterPut(const ResourceAt& at, const RecordPtr& old, const RecordPtr& record,
                const json::Value& object);
  void AfterRemove(const ResourceAt& at, const RecordPtr& old);

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

  void IndexOwners(const ResourceAt& at, const RecordPtr& old, const RecordPtr& record);
  void RememberGone(const RecordPtr& old);
  [[nodiscard]] std::set<Place> DependentsOf(const std::string& uid, std::string_view ns) const;
  // The owner waits for its dependents, by one finalizer or the other.
  void Advance(const std::string& uid);
  // False: a dependent still blocks it.
  bool Finish(const RecordPtr& owner, bool orphan);
  // Deletes the object, or takes references out of it, if owners of it have gone or are waiting for it to go.
  void Attempt(const Place& place);
  void DropOwners(const Place& place, const std::set<std::string>& uids);

  ServerState& state_;
  ObjectWriter& writer_;
  std::unordered_map<std::string, std::set<Place>> dependents_;  // by the owner's uid
  std::unordered_map<std::string, Place> waiting_;               // owners, by uid
  std::unordered_map<std::string, std::string> gone_;            // the namespace, by uid
  std::deque<std::string> gone_order_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_GARBAGE_COLLECTOR_H_
