// apiserver/builtin/service_families.h
//
// IP families of a Service on an IPv4-only cluster: the rules of kube-apiserver for
// spec.ipFamilyPolicy and spec.ipFamilies.

#ifndef KINFORMER_APISERVER_BUILTIN_SERVICE_FAMILIES_H_
#define KINFORMER_APISERVER_BUILTIN_SERVICE_FAMILIES_H_

#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {

// Sets both fields in the spec of a Service whose type has cluster addresses. `before`: previous
// spec; null for a new Service. An omitted policy is kept, omitted families are not. A headless
// Service without selector may have families that the cluster lacks, since its endpoints are
// managed elsewhere. Returns the problems; `spec` must not be stored if there are any.
std::vector<StatusCause> SettleFamilies(const json::Value& before, json::Value& spec);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_SERVICE_FAMILIES_H_
