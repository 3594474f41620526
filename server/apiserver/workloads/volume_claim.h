// apiserver/workloads/volume_claim.h
//
// SyncVolumeClaim, SyncVolume: the controller that binds claims to volumes.

#ifndef KINFORMER_APISERVER_WORKLOADS_VOLUME_CLAIM_H_
#define KINFORMER_APISERVER_WORKLOADS_VOLUME_CLAIM_H_

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

// Binds a pending claim to the volume that it names, or to one made for it, after the script's
// delay; if its storage class waits for a first consumer, once a pod uses it.
void SyncVolumeClaim(const Scene& scene, const json::Value& claim, Plan& plan);

// Deletes a volume that was made for a claim that is gone, or marks another as released.
void SyncVolume(const Scene& scene, const json::Value& volume, Plan& plan);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_VOLUME_CLAIM_H_
