// apiserver/faults/faulty_body.h
//
// Response with faulty bytes: cut, shortened, stalled, garbled or dripping; or with a faulty
// connection.

#ifndef KINFORMER_APISERVER_FAULTS_FAULTY_BODY_H_
#define KINFORMER_APISERVER_FAULTS_FAULTY_BODY_H_

#include "kinformer/apiserver/faults.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Wraps `inner` to apply those actions of `rule` that concern a response's body or connection, and
// kSkewClock, which changes its Date.
ResponsePtr NewFaultyBody(ServerState& state, ResponsePtr inner, FaultRule rule);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_FAULTS_FAULTY_BODY_H_
