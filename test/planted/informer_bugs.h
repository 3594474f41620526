// planted/informer_bugs.h
//
// PlantedBug: mistakes that an informer could make, for tests of the simulation. informer.edits
// plants them in copies of the sources, each behind a switch; the build puts this header in front
// of the copies, and the test turns one switch on after the other. The library has none of it.

#ifndef KINFORMER_TEST_PLANTED_INFORMER_BUGS_H_
#define KINFORMER_TEST_PLANTED_INFORMER_BUGS_H_

#include <cstdint>

namespace kinformer {

enum class PlantedBug : std::uint8_t {
  kNone,
  // ---- From the server to the store.
  kAddLost,               // an added object of a batch is stored, but no handler is notified
  kDeleteLost,            // a deleted object stays
  kDeleteUntold,          // it is removed, but no handler is notified
  kStaleEventApplied,     // an event older than the stored object is applied
  kGapNotNoticed,         // events that prove that others are missing are ignored
  kUidChangeJoined,       // one update joins two objects
  kOldAndNewSwapped,      // in an update
  kDoubleDelivery,        // the events of a batch are delivered twice
  kOrderOfKeysSwapped,    // the first event of a batch is delivered last
  kOrderOfOneKeySwapped,  // the newest of a key's queued changes is applied first
  kEpochNotNoticed,       // the server went back in time, without an effect
  kOldBookmarkTaken,      // a bookmark moves the watch's version back
  kResumesTooFar,         // a watch begins one version too late
  kResumesFromNowAt410,   // a version that is too old is replaced by the newest, without a list
  kExpiredPagesKept,      // a restarted list keeps its earlier pages
  kTornRelist,            // a relist is visible before it is complete
  kRelistKeepsVanished,   // objects missing in a list stay
  kRestartTellsNothing,   // changes during a stop of the informer are not reported
  kSyncedTooEarly,        // after the first object
  kNotFoundBeforeSync,    // an empty cache reports that an object does not exist
  kCheckFindsNothing,     // the consistency check repairs nothing
  // ---- In the store.
  kVersionGoesBack,    // an older object moves the store's version back
  kIndexNotUpdated,    // an object that changes keeps its old values
  kSnapshotSeesLater,  // a key's newest state in place of the snapshot's
  // ---- Joint snapshots and changes.
  kJointTakesWhatIsHeld,  // a held version instead of the current one
  kJointOrderSwapped,     // the snapshots are not in the order of their stores
  kWindowEndNotNoticed,   // changes that are no longer kept are left out
  kNetChangeOfTheLast,    // only a key's last change counts
  kLastStateIsEarlier,    // a deletion has the state before the last
  kChangesAcrossEpochs,   // a version of another epoch is accepted
  // ---- Where there is no room for all.
  kPromisesForgotten,     // lists at the same time use the same room
  kLeftOutForgotten,      // objects without room after an event are forgotten
  kLeftOutUntold,         // an object that no longer fits is dropped without an event
  kFullCountsAsSynced,    // whatever the policy is
  kRoomNotOffered,        // objects left out stay left out
  kListedTakenForAbsent,  // an object that a list left out is taken for absent
  kFullNotChecked,        // the consistency check waits until there is room
  // ---- From the store to handlers.
  kTombstoneMissed,        // a list does not report vanished objects
  kReplaySkipsFirst,       // a new handler misses an object
  kInitialFlagAlways,      // every addition belongs to the initial list
  kUnchangedTold,          // a list reports unchanged objects
  kHandlerSyncedTooEarly,  // before it has received the existing objects
  kEventAfterRemove,       // a removed handler gets waiting events
  kThrowEndsHandler,       // a handler that has thrown gets no more events
  kCoalescedOldIsLast,     // a merged update starts from a state that was not reported
  kCoalescingLosesReAdd,   // a deletion and an addition of another object cancel out
  kDropsWithoutResync,     // dropped events are not compensated
  kEnd,
};

// The bug that is active. Set it while no informer runs.
inline PlantedBug planted_bug = PlantedBug::kNone;
inline bool Planted(PlantedBug bug) { return planted_bug == bug; }

}  // namespace kinformer

#endif  // KINFORMER_TEST_PLANTED_INFORMER_BUGS_H_
