// controller/election/followed_lock.h
//
// FollowedLock: a lock that tells of changes of its record, so that a candidate needs not ask.

#ifndef KINFORMER_CONTROLLER_ELECTION_FOLLOWED_LOCK_H_
#define KINFORMER_CONTROLLER_ELECTION_FOLLOWED_LOCK_H_

#include <optional>

#include "kinformer/client/request_options.h"
#include "kinformer/leaderelection/resource_lock.h"

namespace kinformer::internal::election {

// Used from the thread that uses the lock.
class FollowedLock {
 public:
  virtual ~FollowedLock() = default;
  // Waits until the record is newer than all that the lock has seen, and returns it. nullopt: that
  // has not happened before the end of `call`, or the record cannot be followed at the moment. That
  // it was deleted is not told: its leader makes it again when it renews. REQUIRES: call.timeout is
  // set.
  virtual std::optional<LeaderElectionRecord> AwaitChange(const CallOptions& call) = 0;
  // Costs the server nothing any more, until the next AwaitChange.
  virtual void StopFollowing() = 0;
};

}  // namespace kinformer::internal::election

#endif  // KINFORMER_CONTROLLER_ELECTION_FOLLOWED_LOCK_H_
