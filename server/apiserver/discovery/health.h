// apiserver/discovery/health.h
//
// /healthz, /livez and /readyz.

#ifndef KINFORMER_APISERVER_DISCOVERY_HEALTH_H_
#define KINFORMER_APISERVER_DISCOVERY_HEALTH_H_

#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Returns null for other paths. A server that responds is healthy: lists those checks of a real
// server that apply here, with its names and in its order.
ResponsePtr AnswerHealth(const RequestInfo& info);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_HEALTH_H_
