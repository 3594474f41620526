// apiserver/faulty_body.h
//
// A response whose bytes are not what they should be: cut, cut short, stalled, garbled, or dripping; or whose
// connection is not what it should be.

#ifndef KINFORMER_SRC_APISERVER_FAULTY_BODY_H_
#define KINFORMER_SRC_APISERVER_FAULTY_BODY_H_

#include "kinformer/apiserver/faults.h"

#include "apiserver/responses.h"
#include "apiserver/server_state.h"

namespace kinformer::apiserver {

// `inner`, spoiled by the actions of `rule` that concern the body of an answer or its connection, and by kSkewClock, which concerns its Date.
ResponsePtr NewFaultyBody(ServerState& state, ResponsePtr inner, FaultRule rule);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_FAULTY_BODY_H_
