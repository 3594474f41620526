// planted/operator_bugs.h
//
// PlantedBug: mistakes that controllers and managers could make. Works as planted/informer_bugs.h,
// with operator.edits.

#ifndef KINFORMER_TEST_PLANTED_OPERATOR_BUGS_H_
#define KINFORMER_TEST_PLANTED_OPERATOR_BUGS_H_

#include <cstdint>

namespace kinformer {

enum class PlantedBug : std::uint8_t {
  kNone,
  kErrorForgotten,          // a reconcile that failed is not tried again
  kThrowGivesUp,            // nor one that threw
  kRequeueForgotten,        // nor one that asked for it
  kRequeueAfterForgotten,   // nor one that asked for a time
  kOwnersNotFound,          // what happens to an owned object is nobody's business
  kLeadershipNotAsked,      // workers go on without it
  kDoesNotWaitForSync,      // reconciles begin before the caches are filled
  kCanceledStartCounts,     // or when it was given up to fill them
  kLeadsWithoutElection,    // what only the leader may do begins at once
  kLossOfLeadershipMissed,  // and goes on when the leadership is lost
  kReconcileNotStopped,     // what is being reconciled then is not told
  kLeaseGivenUpTooEarly,    // before the work has ended
  kEnd,
};

// The mistake that is made. Set while nothing runs.
inline PlantedBug planted_bug = PlantedBug::kNone;
inline bool Planted(PlantedBug bug) { return planted_bug == bug; }

}  // namespace kinformer

#endif  // KINFORMER_TEST_PLANTED_OPERATOR_BUGS_H_
