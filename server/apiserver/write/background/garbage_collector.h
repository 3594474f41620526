// apiserver/write/background/garbage_collector.h
//
// GarbageCollector: the garbage collector of kube-controller-manager: dependents are deleted after
// their last owner, are orphaned, or delay the deletion of their owner, depending on the owner's
// delete request.

#ifndef KINFORMER_APISERVER_WRITE_BACKGROUND_GARBAGE_COLLECTOR_H_
#define KINFORMER_APISERVER_WRITE_BACKGROUND_GARBAGE_COLLECTOR_H_

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/object/write_observer.h"

namespace kinformer::apiserver {

// Considers only owners that this server has known: references to a uid that never existed are
// ignored, so tests can make objects with imaginary owners. Owners in other namespaces are ignored,
// cluster-scoped owners are not. Works in turns of the loop after the write that causes it, through
// ObjectWriter. Loop-confined.
class GarbageCollector final : public WriteObserver {
 public:
  GarbageCollector(ServerState& state, ObjectWriter& writer) : state_(state), writer_(writer) {}

  void AfterPut(const ObjectPut& put) override;
  void AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) override;
  void AfterReplace() override;

  struct Owner {
    std::string uid;
    bool blocks = false;
    bool operator==(const Owner&) const = default;
  };

 private:
  struct Place {
    std::shared_ptr<ServedResource> resource;
    std::string key;
    // By name, since the order of addresses would differ between runs.
    bool operator<(const Place& other) const {
      return std::tie(resource->group, resource->plural, key) <
             std::tie(other.resource->group, other.resource->plural, other.key);
    }
    [[nodiscard]] std::string Namespace() const;  // empty if cluster-scoped
  };
  struct Dependents {
    std::set<Place> all{};
    std::set<Place> blocking{};  // block the owner's deletion
  };
  // Progress of a visit to an owner's dependents.
  struct Visit {
    std::optional<Place> last{};
    bool done = false;
  };
  // A deleted owner whose dependents are collected.
  struct Collection {
    std::string namespace_{};
    Visit visit{};
  };
  // An owner that waits for its dependents to be deleted or orphaned.
  struct Waiting {
    Place place{};
    bool orphans = false;
    bool posted = false;  // Advance is scheduled
    Visit visit{};        // begins anew if there is a new dependent or another policy
  };

  void IndexOwners(const Place& place, const std::vector<Owner>& before,
                   const std::vector<Owner>& after);
  void RememberGone(const StoredObjectPtr& old);
  // Handles an owner that is being deleted, and one that is gone.
  void HandleTerminating(const Place& place, const StoredObject& stored, const json::Value& object);
  void HandleGone(const StoredObjectPtr& old);
  // Returns whether the object exists and an owner in that namespace is possible.
  [[nodiscard]] static bool IsDependent(const Place& place, std::string_view ns);
  // Continues a visit until the turn is over. Returns true once complete.
  bool VisitDependents(const std::string& uid, std::string_view ns, Visit& visit,
                       const std::function<void(const Place&)>& act) const;
  // Continues with the dependents of a deleted owner.
  void Collect(const std::string& uid);
  // REQUIRES: the owner is in waiting_.
  void PostAdvance(const std::string& uid);
  // Continues with the dependents of a waiting owner. Removes the owner's finalizer once all were
  // visited and none blocks it.
  void Advance(const std::string& uid);
  [[nodiscard]] bool IsBlocked(const std::string& uid, std::string_view ns) const;
  // Deletes the object, or removes owner references, if some of its owners are deleted or are
  // waiting for it.
  void Attempt(const Place& place);
  // Returns whether the dependent is also an indirect owner of an object that waits for it: all of
  // them would wait for ever.
  [[nodiscard]] bool ClosesCircle(const StoredObjectPtr& dependent) const;
  // REQUIRES: the object exists.
  void DropOwners(const Place& place, const std::set<std::string>& uids);
  void ChangeOwners(const Place& place, const std::function<void(json::Array& owners)>& change);

  ServerState& state_;
  ObjectWriter& writer_;
  // All maps are keyed by the owner's uid.
  std::unordered_map<std::string, Dependents> dependents_;
  std::unordered_map<std::string, Waiting> waiting_;
  std::unordered_map<std::string, Collection> collecting_;
  std::unordered_map<std::string, std::string> gone_;  // its namespace
  std::deque<std::string> gone_order_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_BACKGROUND_GARBAGE_COLLECTOR_H_
