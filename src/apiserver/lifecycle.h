// apiserver/lifecycle.h
//
// Lifecycle: what the controllers of a real control plane do for objects that are on their way out or in, and without which a
// lone API server would leave clients waiting for ever: namespaces that empty themselves, definitions that become resources and
// take their objects with them, dependents that follow their owners, pods whose grace period ends, events that expire.

#ifndef KINFORMER_SRC_APISERVER_LIFECYCLE_H_
#define KINFORMER_SRC_APISERVER_LIFECYCLE_H_

#include <map>
#include <string>
#include <utility>

#include "kinformer/json.h"

#include "apiserver/definition.h"
#include "apiserver/event_expiry.h"
#include "apiserver/garbage_collector.h"
#include "apiserver/server_state.h"

namespace kinformer::apiserver {

class ObjectWriter;

// Loop-confined.
class Lifecycle {
 public:
  Lifecycle(ServerState& state, ObjectWriter& writer)
      : state_(state), writer_(writer), collector_(state, writer), event_expiry_(state, writer) {}

  // An object was written: `old` is null for a new one.
  void AfterPut(const ResourceAt& at, const RecordPtr& old, const RecordPtr& record,
                const json::Value& object);
  // An object is gone.
  void AfterRemove(const ResourceAt& at, const RecordPtr& old);

 private:
  void SweepNamespace(const std::string& name);
  // Says in the namespace's conditions what is left in it.
  void ReportRemaining(const ResourceAt& namespaces, const std::string& name);
  // Brings a definition's status up to date, and serves what it says.
  void EstablishDefinition(const ResourceAt& at, const RecordPtr& record,
                           const json::Value& definition);
  void Serve(const json::Value& definition);
  // Those of a group that others than `name` have.
  [[nodiscard]] TakenNames NamesTaken(const std::string& group, const std::string& name) const;
  // Definitions whose names were taken may have them now.
  void RetryNames(const std::string& group);
  void SweepDefinition(const std::string& name);

  ServerState& state_;
  ObjectWriter& writer_;
  GarbageCollector collector_;
  EventExpiry event_expiry_;
  // status.acceptedNames of every definition, by group and name.
  std::map<std::pair<std::string, std::string>, json::Value> accepted_names_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_LIFECYCLE_H_
