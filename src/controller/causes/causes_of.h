// controller/causes/causes_of.h
//
// CausesOf: makes the texts of causes.

#ifndef KINFORMER_CONTROLLER_CAUSES_CAUSES_OF_H_
#define KINFORMER_CONTROLLER_CAUSES_CAUSES_OF_H_

#include <string>

#include "kinformer/base/error.h"
#include "kinformer/controller/causes.h"
#include "kinformer/internal/cause_note.h"
#include "kinformer/object/kind_info.h"

namespace kinformer::internal {

// Facts of a request that its note does not have.
struct RequestFacts {
  const std::string& key;
  int attempts = 0;
  const Error* last_error = nullptr;
};

// Compares the objects of changes, which takes tens of microseconds for each.
[[nodiscard]] Causes CausesOf(const CauseNote& note, const RequestFacts& request);

// Returns "Deployment.apps", or "Pod" in the core group.
[[nodiscard]] std::string KindName(const KindInfo& kind);

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_CAUSES_CAUSES_OF_H_
