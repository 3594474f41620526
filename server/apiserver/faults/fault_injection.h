// apiserver/faults/fault_injection.h
//
// Effects of a FaultPlan's rule on a request.

#ifndef KINFORMER_APISERVER_FAULTS_FAULT_INJECTION_H_
#define KINFORMER_APISERVER_FAULTS_FAULT_INJECTION_H_

#include <functional>
#include <string_view>

#include "kinformer/apiserver/faults.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Responds to the request under the rule. `route` makes the regular response from the state that
// the fault lets it see. It is called at most once, maybe later. Loop-confined.
ResponsePtr InjectFault(ServerState& state, const FaultRule& rule, std::string_view accept,
                        std::function<ResponsePtr(ReadView)> route);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_FAULTS_FAULT_INJECTION_H_
