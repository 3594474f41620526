// controller/client/planted_bug.h
//
// PlantedBug: mistakes that read-your-own-writes could make, each behind a switch. Works as that of
// cache/store/planted_bug.h: a test compiles the sources that include this once more, with
// KINFORMER_PLANTED_BUGS, and shows that each mistake is caught. For .cc files only.

#ifndef KINFORMER_CONTROLLER_CLIENT_PLANTED_BUG_H_
#define KINFORMER_CONTROLLER_CLIENT_PLANTED_BUG_H_

#include <cstdint>

namespace kinformer::internal::delegating {

enum class PlantedBug : std::uint8_t {
  kNone,
  kAnyVersionWillDo,         // a write is seen when the cache has the object at all
  kListDoesNotWait,          // only a Get waits
  kDeleteForgotten,          // nobody waits for a deletion
  kUnshownDeleteForgotten,   // nor for that of an object that the cache has yet to show
  kUnselectedForgotten,      // nobody waits until an object that is not selected any more has left
  kDeletionOfManyForgotten,  // it marks nothing
  kSweptUnseen,              // any event takes off what has not been seen
  kEnd,
};

#ifdef KINFORMER_PLANTED_BUGS
// Which of them the library has. Set while nobody reads or writes.
inline PlantedBug planted_bug = PlantedBug::kNone;
inline bool Planted(PlantedBug bug) { return planted_bug == bug; }
#else
consteval bool Planted(PlantedBug) { return false; }
#endif

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_CLIENT_PLANTED_BUG_H_
