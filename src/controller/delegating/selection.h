// controller/delegating/selection.h
//
// Whether an informer selects an object that a write has returned.

#ifndef KINFORMER_CONTROLLER_DELEGATING_SELECTION_H_
#define KINFORMER_CONTROLLER_DELEGATING_SELECTION_H_

#include <string_view>

#include "kinformer/internal/block.h"
#include "kinformer/object/field_selector.h"
#include "kinformer/object/label_selector.h"

#include "cache/store/coverage.h"

namespace kinformer::internal::delegating {

// Whether the object's labels and fields match, as on the server. A field is read where the server
// has it, which is its path in the object's JSON for all but a few fields of built-in resources. An
// absent one matches "", and also false and 0, because the server writes those defaults.
[[nodiscard]] bool Matches(const Block& object, const LabelSelector& labels,
                           const FieldSelector& fields);

// Whether a store with this coverage selects the object. Null selects everything. A selector that
// cannot be parsed selects nothing, so that no read waits for an object that may never arrive.
[[nodiscard]] bool Selects(const cache::Coverage* coverage, const Block& object);

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_SELECTION_H_
