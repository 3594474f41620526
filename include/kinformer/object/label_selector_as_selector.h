// kinformer/object/label_selector_as_selector.h
//
// Conversion of selectors in objects (Deployment.spec.selector) to the LabelSelector of listers and
// informers.
//
//   auto wanted = metav1::LabelSelectorAsSelector(deployment.spec().selector()).OrExit();
//   for (corev1::Pod pod : lister.Namespace("default").List(wanted)) ...

#ifndef KINFORMER_OBJECT_LABEL_SELECTOR_AS_SELECTOR_H_
#define KINFORMER_OBJECT_LABEL_SELECTOR_AS_SELECTOR_H_

#include <optional>

#include "kinformer/api/metav1.h"
#include "kinformer/base/result.h"
#include "kinformer/object/label_selector.h"

namespace kinformer::metav1 {

// Returns a selector with all of matchLabels and matchExpressions. An empty one matches everything,
// an absent one nothing, as in the API. kInvalidArgument, with the invalid term. Thread-safe.
// Counterpart: metav1.LabelSelectorAsSelector.
Result<kinformer::LabelSelector> LabelSelectorAsSelector(const LabelSelector& selector);
Result<kinformer::LabelSelector> LabelSelectorAsSelector(
    const std::optional<LabelSelector>& selector);
// Does the same for the mutable struct; needs kinformer/api/metav1_mutable.h.
Result<kinformer::LabelSelector> LabelSelectorAsSelector(const LabelSelectorMutable& selector);

}  // namespace kinformer::metav1

#endif  // KINFORMER_OBJECT_LABEL_SELECTOR_AS_SELECTOR_H_
