// kinformer/resource_lock.h
//
// ResourceLock: what candidates for leadership fight over: a record that each of them can read, and
// replace if nobody else did so meanwhile. LeaseLock keeps it in a Lease.

#ifndef KINFORMER_RESOURCE_LOCK_H_
#define KINFORMER_RESOURCE_LOCK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "kinformer/client.h"
#include "kinformer/request_options.h"
#include "kinformer/result.h"
#include "kinformer/time.h"

namespace kinformer {

class EventRecorder;  // event_recorder.h

// Who leads, and since when. A value. Times are those of the leader's clock: they are for people,
// and never compared with another machine's. Counterpart: resourcelock.LeaderElectionRecord.
struct LeaderElectionRecord {
  std::string holderIdentity{};  // empty: nobody
  std::int32_t leaseDurationSeconds{0};
  metav1::MicroTime acquireTime{};
  metav1::MicroTime renewTime{};
  // How often the leader has changed. Whoever takes the lease over adds one, so it orders the terms
  // of one Lease object.
  std::int32_t leaderTransitions{0};
  std::string strategy{};         // coordinated election: how the server elects
  std::string preferredHolder{};  // coordinated election: who should lead instead
  friend bool operator==(const LeaderElectionRecord&, const LeaderElectionRecord&) = default;
};

// Used by one LeaderElector, from one thread at a time, but for Identity and Describe, which never
// change. Get, Create and Update block until the server has answered. Counterpart:
// resourcelock.Interface.
class ResourceLock {
 public:
  virtual ~ResourceLock() = default;
  // kNotFound: there is no record yet.
  virtual Result<LeaderElectionRecord> Get(const CallOptions& call) = 0;
  virtual Result<void> Create(const LeaderElectionRecord& record, const CallOptions& call) = 0;
  // Replaces the record that the last Get, Create or Update has seen: kConflict if somebody else
  // has changed it since. kInvalidArgument, without a request, where none has been seen.
  virtual Result<void> Update(const LeaderElectionRecord& record, const CallOptions& call) = 0;
  // Tells people of a change: "became leader". Does not block.
  virtual void RecordEvent(std::string_view text) = 0;
  // Of this candidate. No other candidate has the same.
  [[nodiscard]] virtual const std::string& Identity() const = 0;
  // "namespace/name", for messages.
  [[nodiscard]] virtual const std::string& Describe() const = 0;
};

// Which Lease, and who asks for it. Counterpart: resourcelock.LeaseLock with ResourceLockConfig.
struct LeaseLockOptions {
  std::string namespace_{};
  std::string name{};
  // The pod's name with something random behind it is a good one: it must not be that of a process
  // that ran here before.
  std::string identity{};
  // Set on the Lease at each write. Other labels stay.
  std::map<std::string, std::string> labels{};
  // Gets the events about the Lease, such as "<identity> became leader": reason LeaderElection,
  // type Normal. Null: there are none. Counterpart: EventRecorder.
  std::shared_ptr<EventRecorder> event_recorder{};
};

// A lock in a coordination.k8s.io/v1 Lease. Its requests wait for no rate limit of the client's and
// are not repeated by the client: who holds the lock does that at a pace of its own.
// kInvalidArgument: a name is missing.
Result<std::unique_ptr<ResourceLock>> NewLeaseLock(const Client& client, LeaseLockOptions options);

// The host's name and something random, as controller-runtime makes one. Counterpart: the default
// identity of its manager.
std::string NewLeaderIdentity(Env& env);

}  // namespace kinformer

#endif  // KINFORMER_RESOURCE_LOCK_H_
