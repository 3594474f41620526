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
  kErrorForgotten,          // a failed reconcile is not retried
  kThrowGivesUp,            // nor is one that threw
  kRequeueForgotten,        // nor is one that asked for a requeue
  kRequeueAfterForgotten,   // nor is one that asked for a delay
  kOwnersNotFound,          // events of owned objects are ignored
  kLeadershipNotAsked,      // workers continue without leadership
  kDoesNotWaitForSync,      // reconciles begin before the caches are filled
  kCanceledStartCounts,     // or when it was given up to fill them
  kLeadsWithoutElection,    // the leader's work starts at once
  kLossOfLeadershipMissed,  // and continues after leadership is lost
  kReconcileNotStopped,     // running reconciles are then not stopped
  kLeaseGivenUpTooEarly,    // before the work has ended
  kCauseLost,               // the second cause of a request is forgotten
  kCauseOfNewVersion,       // an update's old version is its new one
  kEnd,
};

// Bug that is switched on. Set it only while nothing runs.
inline PlantedBug planted_bug = PlantedBug::kNone;
inline bool Planted(PlantedBug bug) { return planted_bug == bug; }

}  // namespace kinformer

#endif  // KINFORMER_TEST_PLANTED_OPERATOR_BUGS_H_
