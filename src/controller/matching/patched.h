// controller/matching/patched.h
//
// Whether a patch leaves an object as it is.

#ifndef KINFORMER_CONTROLLER_MATCHING_PATCHED_H_
#define KINFORMER_CONTROLLER_MATCHING_PATCHED_H_

#include "kinformer/client/patch.h"
#include "kinformer/json/json.h"
#include "kinformer/object/kind_info.h"

namespace kinformer::internal::matching {

// Returns true if the patch, a merge patch, a strategic merge patch or a JSON patch, changes
// nothing in `object`, which is the whole object as the API writes it. False in doubt: for
// directives ($patch, $retainKeys), and for JSON patches that test, since a test asks what the
// server has now.
[[nodiscard]] bool PatchChangesNothing(const KindInfo& kind, const json::Value& object,
                                       const kinformer::Patch& patch);

}  // namespace kinformer::internal::matching

#endif  // KINFORMER_CONTROLLER_MATCHING_PATCHED_H_
