// apiserver/event_expiry.h
//
// EventExpiry: Events go some time after they were last written, as etcd's leases make them go.

#ifndef KINFORMER_SRC_APISERVER_EVENT_EXPIRY_H_
#define KINFORMER_SRC_APISERVER_EVENT_EXPIRY_H_

#include <deque>
#include <string>

#include "apiserver/server_state.h"

namespace kinformer::apiserver {

class ObjectWriter;

// One timer for all of them. Loop-confined.
class EventExpiry {
 public:
  EventExpiry(ServerState& state, ObjectWriter& writer) : state_(state), writer_(writer) {}

  // An object was written; others than Events do not matter. Each write starts the time anew.
  void AfterPut(const ResourceAt& at, const RecordPtr& record);

 private:
  struct Entry {
    SteadyTime due;
    ResourceAt at;
    std::string key;
    std::int64_t resource_version;
  };
  void Arm();
  void Expire();

  ServerState& state_;
  ObjectWriter& writer_;
  std::deque<Entry> entries_;  // the first is due first
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_EVENT_EXPIRY_H_
