// planted/matches_bugs.h
//
// PlantedBug: mistakes that the comparison of writes with the cache, and the filter of
// own events, could make. Works as
// planted/informer_bugs.h, with matches.edits.

#ifndef KINFORMER_TEST_PLANTED_MATCHES_BUGS_H_
#define KINFORMER_TEST_PLANTED_MATCHES_BUGS_H_

#include <cstdint>

namespace kinformer {

enum class PlantedBug : std::uint8_t {
  kNone,
  kMapsNotCompared,            // an update of a map's values is not sent
  kBytesNotCompared,           // nor is one of a struct of the same version
  kOverlayNotCompared,         // nor is a patch
  kKnownForAnyVersion,         // a patch that changed nothing once is not sent in later versions
  kPatchedVersionNotCompared,  // a patch over the change of another is one of the cached version
  kFailedForGoodFilters,       // own events do not wake a reconcile that has failed for good
  kEnd,
};

// Bug that is switched on. Set it only while nothing runs.
inline PlantedBug planted_bug = PlantedBug::kNone;
inline bool Planted(PlantedBug bug) { return planted_bug == bug; }

}  // namespace kinformer

#endif  // KINFORMER_TEST_PLANTED_MATCHES_BUGS_H_
