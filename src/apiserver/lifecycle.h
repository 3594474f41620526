// apiserver/lifecycle.h
//
// Lifecycle: what the controllers of a real control plane do for objects that are on their way out or in, and without which a
// lone API server would leave clients waiting for ever: namespaces that empty themselves, definitions that become resources and
// take their objects with them, dependents that follow their owners, pods whose grace period ends.

#ifndef KINFORMER_SRC_APISERVER_LIFECYCLE_H_
#define KINFORMER_SRC_APISERVER_LIFECYCLE_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kinformer/json.h"

#include "apiserver/definition.h"
#include "apiserver/server_state.h"

namespace kinformer::apiserver {

class ObjectWriter;

// Loop-confined.
class Lifecycle {
 public:
  Lifecycle(ServerState& state, ObjectWriter& writer) : state_(state), writer_(writer) {}

  // An object was written: `old` is null for a new one.
  void AfterPut(const ResourceAt& at, const RecordPtr& old, const RecordPtr& record,
                const json::Value& object);
  // An object is gone.
  void AfterRemove(const ResourceAt& at, const RecordPtr& old);
  // The objects that name this one as an owner shall forget it.
  void Orphan(std::string_view uid);

 private:
  struct Dependent {
    std::shared_ptr<ServedResource> resource;
    std::string key;
    // By name: the order of addresses would differ from run to run.
    bool operator<(const Dependent& other) const {
      return std::tie(resource->group, resource->plural, key) <
             std::tie(other.resource->group, other.resource->plural, other.key);
    }
  };

  void SweepNamespace(const std::string& name);
  // Brings a definition's status up to date, and serves what it says.
  void EstablishDefinition(const ResourceAt& at, const RecordPtr& record,
                           const json::Value& definition);
  void Serve(const json::Value& definition);
  // Those of a group that others than `name` have.
  [[nodiscard]] TakenNames NamesTaken(const std::string& group, const std::string& name) const;
  // Definitions whose names were taken may have them now.
  void RetryNames(const std::string& group);
  void SweepDefinition(const std::string& name);
  void IndexOwners(const ResourceAt& at, const RecordPtr& old, const RecordPtr& record);
  void CollectDependents(const std::string& uid);
  // Takes the reference to that owner out of the object; it goes with the last one if `collect`.
  void DropOwner(const Dependent& dependent, const std::string& uid, bool collect);

  ServerState& state_;
  ObjectWriter& writer_;
  // status.acceptedNames of every definition, by group and name.
  std::map<std::pair<std::string, std::string>, json::Value> accepted_names_;
  std::unordered_map<std::string, std::set<Dependent>> dependents_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_LIFECYCLE_H_
