// controller/delegating/read_waits.h
//
// Tasks that a read of a cache awaits first: the first list, the versions of the client's own
// writes, and that the cache shows these.

#ifndef KINFORMER_CONTROLLER_DELEGATING_READ_WAITS_H_
#define KINFORMER_CONTROLLER_DELEGATING_READ_WAITS_H_

#include <memory>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/base/task.h"

#include "controller/delegating/delegating_state.h"

namespace kinformer::internal::delegating {

// Awaits all that a read must wait for. `which`: the object; without a name, all of the namespace;
// without that, all. The deadline of `bounds` counts, and not the timeout of `call`.
[[nodiscard]] Task<Result<void>> ReadableTask(std::shared_ptr<DelegatingState> state,
                                              ReadSource source, const KindInfo& type,
                                              ObjectName which, CallBounds bounds,
                                              CallOptions call);
// Returns the error of a read on the loop's thread, which must not wait; OK if there is nothing to
// wait for.
[[nodiscard]] Result<void> ReadableOnLoop(DelegatingState& state, const ReadSource& source,
                                          const KindInfo& type, const ObjectName& which,
                                          const CallBounds& bounds, const CallOptions& call);

// Records a write after its answer: the object, a part of it with a kind of its own, or null.
// `patience`: limits for the GET that may be necessary.
[[nodiscard]] Task<void> WroteTask(std::shared_ptr<DelegatingState> state, const KindInfo& type,
                                   std::vector<Watching> watching, ObjectRef answer,
                                   ObjectName name, ReadPatience patience);

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_READ_WAITS_H_
