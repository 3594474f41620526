// kinformer/leaderelection/resource_lock.h
//
// ResourceLock: a record that all candidates for leadership can read, and can replace if no one
// else has done so meanwhile. NewLeaseLock (lease_lock.h) stores it in a Lease.

#ifndef KINFORMER_LEADERELECTION_RESOURCE_LOCK_H_
#define KINFORMER_LEADERELECTION_RESOURCE_LOCK_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/request_options.h"
#include "kinformer/object/time.h"

namespace kinformer {

// The leader, and its term. A value. Times are by the leader's clock: they are for people, and
// never compared with another machine's. Counterpart: resourcelock.LeaderElectionRecord.
struct LeaderElectionRecord {
  std::string holderIdentity{};  // empty: no leader
  std::int32_t leaseDurationSeconds{0};
  metav1::MicroTime acquireTime{};
  metav1::MicroTime renewTime{};
  // Number of changes of the leader. Each new leader adds one, so it orders the terms of one Lease
  // object.
  std::int32_t leaderTransitions{0};
  std::string strategy{};         // coordinated election: the server's strategy
  std::string preferredHolder{};  // coordinated election: the candidate that should lead
  friend bool operator==(const LeaderElectionRecord&, const LeaderElectionRecord&) = default;
};

// Used by one LeaderElector, from one thread at a time, except Identity and Describe, which never
// change. Get, Create and Update block until the server has answered. Counterpart:
// resourcelock.Interface.
class ResourceLock {
 public:
  virtual ~ResourceLock() = default;
  // Reads the record. kNotFound: there is none yet.
  virtual Result<LeaderElectionRecord> Get(const CallOptions& call) = 0;
  virtual Result<void> Create(const LeaderElectionRecord& record, const CallOptions& call) = 0;
  // Replaces the record seen by the last Get, Create or Update. kConflict: another candidate
  // changed it since then. kInvalidArgument, without a request: none was seen.
  virtual Result<void> Update(const LeaderElectionRecord& record, const CallOptions& call) = 0;
  // Records an event for people: "became leader". Does not block.
  virtual void RecordEvent(std::string_view text) = 0;
  // Returns the name of this candidate, which no other has.
  [[nodiscard]] virtual const std::string& Identity() const = 0;
  // Returns "namespace/name", for messages.
  [[nodiscard]] virtual const std::string& Describe() const = 0;
};

// Returns the host's name with a random suffix, as in controller-runtime. Counterpart: the default
// identity of its manager.
std::string NewLeaderIdentity(Env& env);

}  // namespace kinformer

#endif  // KINFORMER_LEADERELECTION_RESOURCE_LOCK_H_
