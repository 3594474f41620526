// apiserver/write/garbage_collector.h
//
// GarbageCollector: what kube-controller-manager's garbage collector does for objects with owners:
// dependents go after the last of their owners, are orphaned, or hold their owner back, as the
// delete of the owner asked for.

#ifndef KINFORMER_APISERVER_WRITE_GARBAGE_COLLECTOR_H_
#define KINFORMER_APISERVER_WRITE_GARBAGE_COLLECTOR_H_

#include <cstdint>
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

#include "kinformer/json.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/write/object_writer.h"
#include "apiserver/write/write_observer.h"

namespace kinformer::apiserver {

// Owners are those that this server has known: a reference to a uid that never existed leaves the
// dependent alone, so that tests can make objects with owners of their imagination. An owner in
// another namespace does not count; one without a namespace does. Works in turns of the loop after
// the write that caused it, through ObjectWriter. Loop-confined.
class GarbageCollector final : public WriteObserver {
 public:
  GarbageCollector(ServerState& state, ObjectWriter& writer) : state_(state), writer_(writer) {}

  void AfterPut(const ObjectPut& put) override;
  void AfterRemove(const ResourceAt& at, const StoredObjectPtr& old) override;

  struct Owner {
    std::string uid;
    bool blocks = false;
    bool operator==(const Owner&) const = default;
  };

 private:
  struct Place {
    std::shared_ptr<ServedResource> resource;
    std::string key;
    // By name: the order of addresses would differ from run to run.
    bool operator<(const Place& other) const {
      return std::tie(resource->group, resource->plural, key) <
             std::tie(other.resource->group, other.resource->plural, other.key);
    }
    [[nodiscard]] std::string Namespace() const;  // empty where it has none
  };
  struct Dependents {
    std::set<Place> all{};
    std::set<Place> blocking{};  // the owner's deletion
  };
  // How far a visit to an owner's dependents is.
  struct Visit {
    std::optional<Place> last{};
    bool done = false;
  };
  // An owner that has gone.
  struct Collection {
    std::string namespace_{};
    Visit visit{};
  };
  // An owner that waits for its dependents to go, or to be orphaned.
  struct Waiting {
    Place place{};
    bool orphans = false;
    bool posted = false;  // Advance
    Visit visit{};
    std::uint64_t round = 0;  // of visits
    void StartOver() {
      visit = {};
      ++round;
    }
  };

  void IndexOwners(const Place& place, const std::vector<Owner>& before,
                   const std::vector<Owner>& after);
  void RememberGone(const StoredObjectPtr& old);
  // Is there an object whose owner may be of that namespace?
  [[nodiscard]] static bool IsDependent(const Place& place, std::string_view ns);
  // Goes on with a visit until the turn is over. True: that was all.
  bool VisitDependents(const std::string& uid, std::string_view ns, Visit& visit,
                       const std::function<void(const Place&)>& act) const;
  // The owner has gone: on with its dependents.
  void Collect(const std::string& uid);
  // REQUIRES: the owner is one of waiting_.
  void PostAdvance(const std::string& uid);
  // On with the dependents of an owner that waits. It is let go once they have been visited and
  // none blocks it.
  void Advance(const std::string& uid);
  [[nodiscard]] bool IsBlocked(const std::string& uid, std::string_view ns) const;
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
  // All by the owner's uid.
  std::unordered_map<std::string, Dependents> dependents_;
  std::unordered_map<std::string, Waiting> waiting_;
  std::unordered_map<std::string, Collection> collecting_;
  std::unordered_map<std::string, std::string> gone_;  // the namespace
  std::deque<std::string> gone_order_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_GARBAGE_COLLECTOR_H_
