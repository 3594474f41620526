// apiserver/workloads/endpoint_slices.h
//
// SyncEndpointSlices: the controller of EndpointSlices.

#ifndef KINFORMER_APISERVER_WORKLOADS_ENDPOINT_SLICES_H_
#define KINFORMER_APISERVER_WORKLOADS_ENDPOINT_SLICES_H_

#include "kinformer/json/json.h"

#include "apiserver/workloads/plan.h"

namespace kinformer::apiserver::workloads {

// Keeps the EndpointSlices of a Service with a selector: up to a hundred endpoints in each, one
// group of slices for each set of ports. An endpoint stays in its slice.
void SyncEndpointSlices(const Scene& scene, const json::Value& service, Plan& plan);

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_ENDPOINT_SLICES_H_
