// apiserver/builtin/service_families.h
//
// Which families of addresses a Service has, on a cluster that has IPv4 only: what kube-apiserver
// makes of spec.ipFamilyPolicy and spec.ipFamilies.

#ifndef KINFORMER_APISERVER_BUILTIN_SERVICE_FAMILIES_H_
#define KINFORMER_APISERVER_BUILTIN_SERVICE_FAMILIES_H_

#include <vector>

#include "kinformer/json.h"

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {

// Fills in both fields of a Service's spec, of a type that has cluster addresses, from the spec of
// before; null: it is new. A policy left out is kept, families are not. A Service without address
// and selector may have families that the cluster has not, since somebody else looks after its
// endpoints. Causes: `spec` is not to be stored.
std::vector<StatusCause> SettleFamilies(const json::Value& before, json::Value& spec);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_SERVICE_FAMILIES_H_
