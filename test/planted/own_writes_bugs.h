// planted/own_writes_bugs.h
//
// PlantedBug: mistakes that read-your-own-writes could make. Works as planted/informer_bugs.h, with
// own_writes.edits.

#ifndef KINFORMER_TEST_PLANTED_OWN_WRITES_BUGS_H_
#define KINFORMER_TEST_PLANTED_OWN_WRITES_BUGS_H_

#include <cstdint>

namespace kinformer {

enum class PlantedBug : std::uint8_t {
  kNone,
  kAnyVersionWillDo,         // a write is seen when the cache has the object at all
  kListDoesNotWait,          // only a Get waits
  kDeleteForgotten,          // reads do not wait for a deletion
  kUnshownDeleteForgotten,   // nor for that of an object that the cache does not show yet
  kUnselectedForgotten,      // reads do not wait until an object that is not selected has left
  kDeletionOfManyForgotten,  // it marks no objects
  kSweptUnseen,              // any event drops writes that the cache does not show
  kEnd,
};

// The bug that is active. Set it while there are no reads or writes.
inline PlantedBug planted_bug = PlantedBug::kNone;
inline bool Planted(PlantedBug bug) { return planted_bug == bug; }

}  // namespace kinformer

#endif  // KINFORMER_TEST_PLANTED_OWN_WRITES_BUGS_H_
