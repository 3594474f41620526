// kinformer/endpoints.h
//
// All public headers of the group endpoints.

#ifndef KINFORMER_ENDPOINTS_H_
#define KINFORMER_ENDPOINTS_H_

#include "kinformer/endpoints/certificate_watcher.h"
#include "kinformer/endpoints/endpoint_server.h"
#include "kinformer/endpoints/healthz.h"
#include "kinformer/endpoints/metrics_server.h"

#endif  // KINFORMER_ENDPOINTS_H_
