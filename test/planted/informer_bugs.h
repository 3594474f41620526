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
  kAddLost,               // an object that comes in a batch is stored, and nobody is told
  kDeleteLost,            // an object that is deleted stays
  kDeleteUntold,          // it goes, and nobody is told
  kStaleEventApplied,     // an event older than what is stored is applied
  kGapNotNoticed,         // events that show that others are missing mean nothing
  kUidChangeJoined,       // one update makes one object of two
  kOldAndNewSwapped,      // in an update
  kDoubleDelivery,        // the events of a batch are told twice
  kOrderOfKeysSwapped,    // the first event of a batch is told last
  kOrderOfOneKeySwapped,  // the newest of a key's queued changes is applied first
  kEpochNotNoticed,       // the server went back in time, and nobody hears of it
  kOldBookmarkTaken,      // a bookmark moves the watch's version back
  kResumesTooFar,         // a watch begins one version too late
  kResumesFromNowAt410,   // a version that is too old is left for the newest, without a list
  kExpiredPagesKept,      // a list that begins anew keeps the pages it had
  kTornRelist,            // a relist shows before it is whole
  kRelistKeepsVanished,   // what a list lacks stays
  kRestartTellsNothing,   // what changed while the informer was stopped is not told
  kSyncedTooEarly,        // after the first object
  kNotFoundBeforeSync,    // a cache that knows nothing says that an object does not exist
  kCheckFindsNothing,     // the consistency check heals nothing
  // ---- In the store.
  kVersionGoesBack,    // an older object takes the store's version back
  kIndexNotUpdated,    // an object that changes keeps its old values
  kSnapshotSeesLater,  // a key's newest state in place of the snapshot's
  // ---- Joint snapshots and changes.
  kJointTakesWhatIsHeld,  // a version that somebody holds in place of the current one
  kJointOrderSwapped,     // the snapshots come in another order than their stores
  kWindowEndNotNoticed,   // changes that are not kept any more are left out
  kNetChangeOfTheLast,    // only a key's last change counts
  kLastStateIsEarlier,    // a deletion has the state before the last
  kChangesAcrossEpochs,   // a version of another epoch is as good as one of this
  // ---- Where there is no room for all.
  kPromisesForgotten,     // lists that come together take the same room
  kLeftOutForgotten,      // nobody knows what an event found no room for
  kLeftOutUntold,         // an object that has grown out of the room goes, and nobody is told
  kFullCountsAsSynced,    // whatever the policy
  kRoomNotOffered,        // what was left out stays so
  kListedTakenForAbsent,  // what a list brings is not left out any more, and not there yet
  kFullNotChecked,        // the consistency check waits until there is room
  // ---- From the store to handlers.
  kTombstoneMissed,        // a list does not tell what has vanished
  kReplaySkipsFirst,       // who joins misses an object
  kInitialFlagAlways,      // every addition belongs to the initial list
  kUnchangedTold,          // a list tells what it did not change
  kHandlerSyncedTooEarly,  // before it has been told what there is
  kEventAfterRemove,       // a handler that was removed hears what waited
  kThrowEndsHandler,       // a handler that has thrown hears nothing more
  kCoalescedOldIsLast,     // a merged update starts from a state that was not told
  kCoalescingLosesReAdd,   // a deletion and an addition of another object are nothing
  kDropsWithoutResync,     // what is dropped is not made up for
  kEnd,
};

// The mistake that is made. Set while no informer runs.
inline PlantedBug planted_bug = PlantedBug::kNone;
inline bool Planted(PlantedBug bug) { return planted_bug == bug; }

}  // namespace kinformer

#endif  // KINFORMER_TEST_PLANTED_INFORMER_BUGS_H_
