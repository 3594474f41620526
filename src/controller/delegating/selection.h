// controller/delegating/selection.h
//
// Which objects an informer looks at, asked of an object that a write has returned.

#ifndef KINFORMER_CONTROLLER_DELEGATING_SELECTION_H_
#define KINFORMER_CONTROLLER_DELEGATING_SELECTION_H_

#include <string_view>

#include "kinformer/field_selector.h"
#include "kinformer/internal/block.h"
#include "kinformer/label_selector.h"

#include "cache/store/coverage.h"

namespace kinformer::internal::delegating {

// Whether the object's labels and fields match, as the server would say. A field is read by its
// path in the object's JSON; what is absent is "", and also false and 0, which the server writes
// for fields with such defaults.
[[nodiscard]] bool Matches(const Block& object, const LabelSelector& labels,
                           const FieldSelector& fields);

// Whether a store with this coverage takes up the object. Null: it takes up everything. What cannot
// be parsed selects nothing: nobody waits for an object that may never come.
[[nodiscard]] bool Selects(const cache::Coverage* coverage, const Block& object);

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_SELECTION_H_
