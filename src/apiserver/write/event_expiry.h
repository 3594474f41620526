// apiserver/write/event_expiry.h
//
// EventExpiry: Events go some time after they were last written, as etcd's leases make them go.

#ifndef KINFORMER_APISERVER_WRITE_EVENT_EXPIRY_H_
#define KINFORMER_APISERVER_WRITE_EVENT_EXPIRY_H_

#include <deque>
#include <string>

#include "apiserver/registry/server_state.h"
#include "apiserver/write/object_writer.h"
#include "apiserver/write/write_observer.h"

namespace kinformer::apiserver {

// One timer for all of them; of many that are due together, some go in later turns. Loop-confined.
class EventExpiry final : public WriteObserver {
 public:
  EventExpiry(ServerState& state, ObjectWriter& writer) : state_(state), writer_(writer) {}

  // Others than Events do not matter. Each write starts the time anew.
  void AfterPut(const ObjectPut& put) override;
  void AfterRemove(const ResourceAt&, const StoredObjectPtr&) override {}

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
  bool armed_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_EVENT_EXPIRY_H_
