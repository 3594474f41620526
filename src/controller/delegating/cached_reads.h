// controller/delegating/cached_reads.h
//
// The parts of a read through a cache that wait for nothing: where it reads, and the reading.

#ifndef KINFORMER_CONTROLLER_DELEGATING_CACHED_READS_H_
#define KINFORMER_CONTROLLER_DELEGATING_CACHED_READS_H_

#include <vector>

#include "kinformer/base/result.h"

#include "controller/delegating/delegating_state.h"

namespace kinformer::internal::delegating {

struct ReadPlace {
  ObjectName which{};  // of a list: without a name
  ReadSource source{};
};

// Return where a read of that form is answered.
[[nodiscard]] Result<ReadPlace> PlaceOfGet(DelegatingState& state, const ObjectForm& form,
                                           const ObjectName& asked, const CallBounds& bounds);
[[nodiscard]] Result<ReadPlace> PlaceOfList(DelegatingState& state, const ObjectForm& form,
                                            const ReadOptions& asked, const CallBounds& bounds);

// Read the cache as it is. REQUIRES: the place has an informer.
[[nodiscard]] Result<ObjectRef> CachedObjectAt(const ReadPlace& place, const KindInfo& type);
[[nodiscard]] Result<std::vector<ObjectRef>> CachedListAt(const ReadPlace& place,
                                                          const KindInfo& type, ReadOptions asked);

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_CACHED_READS_H_
