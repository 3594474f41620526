// kinformer/leaderelection/lease_lock.h
//
// NewLeaseLock: a ResourceLock (resource_lock.h) in a Lease of the API server, which is what nearly
// all programs elect their leader with. LeaderElector::NewForLease (leader_elector.h) makes one
// itself.

#ifndef KINFORMER_LEADERELECTION_LEASE_LOCK_H_
#define KINFORMER_LEADERELECTION_LEASE_LOCK_H_

#include <map>
#include <memory>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/leaderelection/resource_lock.h"

namespace kinformer {

class Client;         // client.h
class EventRecorder;  // event_recorder.h

// Options of a LeaseLock. Counterpart: resourcelock.LeaseLock with ResourceLockConfig.
struct LeaseLockOptions {
  std::string namespace_{};
  std::string name{};
  // Name of the candidate, for example the pod's name and a random suffix: it must differ from that
  // of a process that ran here before.
  std::string identity{};
  // Labels set on the Lease at each write. Other labels stay.
  std::map<std::string, std::string> labels{};
  // Records events about the Lease, such as "<identity> became leader": reason LeaderElection, type
  // Normal. Null: none are recorded. Counterpart: EventRecorder.
  std::shared_ptr<EventRecorder> event_recorder{};
};

// Returns a lock in a coordination.k8s.io/v1 Lease. Its requests bypass the client's rate limit and
// are not retried by the client, since the elector retries at its own pace. They need the verbs
// get, create and update; with watch, a candidate learns of changes at once. kInvalidArgument: a
// name is missing.
Result<std::unique_ptr<ResourceLock>> NewLeaseLock(const Client& client, LeaseLockOptions options);

}  // namespace kinformer

#endif  // KINFORMER_LEADERELECTION_LEASE_LOCK_H_
