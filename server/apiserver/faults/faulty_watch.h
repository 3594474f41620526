// apiserver/faults/faulty_watch.h
//
// Watch that omits events, or reports wrong ones.

#ifndef KINFORMER_APISERVER_FAULTS_FAULTY_WATCH_H_
#define KINFORMER_APISERVER_FAULTS_FAULTY_WATCH_H_

#include <cstdint>

#include "kinformer/apiserver/faults.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Wraps `inner`, a watch with status 200 whose frames `encoder` makes, to apply those actions of
// `rule` that concern events and bookmarks; returns `inner` for other actions. `start`:
// resourceVersion that its events follow.
ResponsePtr NewFaultyWatch(ServerState& state, ObjectEncoder encoder, std::int64_t start,
                           const FaultRule& rule, ResponsePtr inner);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_FAULTS_FAULTY_WATCH_H_
