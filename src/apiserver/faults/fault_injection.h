// apiserver/faults/fault_injection.h
//
// What becomes of a request that a rule of the FaultPlan has hit.

#ifndef KINFORMER_APISERVER_FAULTS_FAULT_INJECTION_H_
#define KINFORMER_APISERVER_FAULTS_FAULT_INJECTION_H_

#include <functional>
#include <string_view>

#include "kinformer/apiserver/faults.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Answers the request: `route` is what answers it, and sees what the fault lets it see. It is
// called at most once, perhaps later. Loop-confined.
ResponsePtr InjectFault(ServerState& state, const FaultRule& rule, std::string_view accept,
                        std::function<ResponsePtr(ReadView)> route);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_FAULTS_FAULT_INJECTION_H_
