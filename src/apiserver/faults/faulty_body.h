// apiserver/faults/faulty_body.h
//
// A response whose bytes are not what they should be: cut, cut short, stalled, garbled, or
// dripping; or whose connection is not what it should be.

#ifndef KINFORMER_APISERVER_FAULTS_FAULTY_BODY_H_
#define KINFORMER_APISERVER_FAULTS_FAULTY_BODY_H_

#include "kinformer/apiserver/faults.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// `inner`, spoiled by the actions of `rule` that concern the body of an answer or its connection,
// and by kSkewClock, which concerns its Date.
ResponsePtr NewFaultyBody(ServerState& state, ResponsePtr inner, FaultRule rule);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_FAULTS_FAULTY_BODY_H_
