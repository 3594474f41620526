// apiserver/workloads/claim.h
//
// Claim: the dependents of a controller's object, by owner and selector.

#ifndef KINFORMER_APISERVER_WORKLOADS_CLAIM_H_
#define KINFORMER_APISERVER_WORKLOADS_CLAIM_H_

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

// Returns the objects of a kind that `owner` controls and its selector (spec.selector) selects.
// Plans to adopt orphans that it selects, which count from the next call on, and to release those
// that it no longer selects.
[[nodiscard]] Objects Claim(const Scene& scene, Kind owner_kind, const json::Value& owner,
                            Kind kind, Plan& plan);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_CLAIM_H_
