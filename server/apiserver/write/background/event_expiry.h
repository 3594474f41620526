// apiserver/write/background/event_expiry.h
//
// EventExpiry: deletes Events some time after their last write, as etcd's leases do.

#ifndef KINFORMER_APISERVER_WRITE_BACKGROUND_EVENT_EXPIRY_H_
#define KINFORMER_APISERVER_WRITE_BACKGROUND_EVENT_EXPIRY_H_

#include <deque>
#include <string>

#include "apiserver/registry/server_state.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/object/write_observer.h"

namespace kinformer::apiserver {

// Uses one timer. If many Events are due together, some are deleted later. Loop-confined.
class EventExpiry final : public WriteObserver {
 public:
  EventExpiry(ServerState& state, ObjectWriter& writer) : state_(state), writer_(writer) {}

  // Ignores other kinds. Each write restarts the time.
  void AfterPut(const ObjectPut& put) override;
  void AfterRemove(const ResourceAt&, const StoredObjectPtr&) override {}
  void AfterReplace() override;

 private:
  struct Entry {
    SteadyTime due;
    ResourceAt at;
    std::string key;
    std::int64_t resource_version;
  };
  void Enter(const ResourceAt& at, const StoredObject& stored);
  void Arm();
  void Expire();

  ServerState& state_;
  ObjectWriter& writer_;
  std::deque<Entry> entries_;  // sorted by expiry
  bool armed_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_BACKGROUND_EVENT_EXPIRY_H_
