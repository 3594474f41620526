// controller/reconcile/planted_bug.h
//
// PlantedBug: mistakes that controllers and managers could make, each behind a switch. Works as
// that of cache/store/planted_bug.h: a test compiles the sources that include this once more, with
// KINFORMER_PLANTED_BUGS, and shows that each mistake is caught. For .cc files only.

#ifndef KINFORMER_CONTROLLER_RECONCILE_PLANTED_BUG_H_
#define KINFORMER_CONTROLLER_RECONCILE_PLANTED_BUG_H_

#include <cstdint>

namespace kinformer::internal::reconcile {

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

#ifdef KINFORMER_PLANTED_BUGS
// Which of them the library has. Set while nothing runs.
inline PlantedBug planted_bug = PlantedBug::kNone;
inline bool Planted(PlantedBug bug) { return planted_bug == bug; }
#else
consteval bool Planted(PlantedBug) { return false; }
#endif

}  // namespace kinformer::internal::reconcile

#endif  // KINFORMER_CONTROLLER_RECONCILE_PLANTED_BUG_H_
