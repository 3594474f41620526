// apiserver/discovery/health.h
//
// /healthz, /livez and /readyz.

#ifndef KINFORMER_APISERVER_DISCOVERY_HEALTH_H_
#define KINFORMER_APISERVER_DISCOVERY_HEALTH_H_

#include "apiserver/request/request_info.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Null where the request is not about health. A server that answers is well: the checks are those
// of a real server whose subject is here, too, under its names and in its order.
ResponsePtr AnswerHealth(const RequestInfo& info);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_HEALTH_H_
