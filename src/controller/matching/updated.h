// controller/matching/updated.h
//
// Whether an update leaves an object as it is.

#ifndef KINFORMER_CONTROLLER_MATCHING_UPDATED_H_
#define KINFORMER_CONTROLLER_MATCHING_UPDATED_H_

#include <string>
#include <string_view>

#include "kinformer/internal/block.h"
#include "kinformer/internal/resource_core.h"
#include "kinformer/internal/written_struct.h"
#include "kinformer/json/json.h"

namespace kinformer::internal::matching {

// Returns true if an Update with `desired` changes nothing in `cached`: both are equal but for
// metadata that only the server writes, which an update may leave out. Compared are whole objects,
// so a field that the server would fill in again counts as a change. The update must be one of this
// very version: without a resourceVersion, or with another one, the server has to answer.
// REQUIRES: `cached` is not packed.
[[nodiscard]] bool UpdateChangesNothing(const Block& cached, const RequestObject& desired);

// Returns true if the struct has the very bytes of `cached`, so that an update with it changes
// nothing; false in doubt. Encodes nothing. REQUIRES: `cached` is not packed.
[[nodiscard]] bool HasBytesOf(const Block& cached, const WrittenStruct& desired);

// Returns the resourceVersion that the object is sent with; empty: none, or it cannot be read.
[[nodiscard]] std::string VersionOf(const KindInfo& kind, const RequestObject& desired);

// Whether two states of an object in JSON differ only where `patch`, a merge patch or a
// configuration that was applied, has something to say, and in what the server keeps of each
// change: so nobody else changed it in between. False in doubt.
[[nodiscard]] bool OnlyPatched(const json::Value& before, const json::Value& after,
                               const json::Value& patch);

}  // namespace kinformer::internal::matching

#endif  // KINFORMER_CONTROLLER_MATCHING_UPDATED_H_
