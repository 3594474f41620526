// apiserver/fault_injection.h
//
// What becomes of a request that a rule of the FaultPlan has hit.

#ifndef KINFORMER_SRC_APISERVER_FAULT_INJECTION_H_
#define KINFORMER_SRC_APISERVER_FAULT_INJECTION_H_

#include <functional>
#include <optional>
#include <string_view>

#include "kinformer/apiserver/faults.h"

#include "apiserver/responses.h"
#include "apiserver/server_state.h"

namespace kinformer::apiserver {

// Answers the request: `route` is what answers it without the fault, or with those faults that concern what is read (it gets them
// then). It is called at most once, perhaps later. Loop-confined.
ResponsePtr InjectFault(ServerState& state, const FaultRule& rule, std::string_view accept,
                        std::function<ResponsePtr(std::optional<FaultRule>)> route);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_FAULT_INJECTION_H_
