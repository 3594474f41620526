// apiserver/faults/faulty_watch.h
//
// A watch that does not say what happened, or not as it should.

#ifndef KINFORMER_APISERVER_FAULTS_FAULTY_WATCH_H_
#define KINFORMER_APISERVER_FAULTS_FAULTY_WATCH_H_

#include <cstdint>

#include "kinformer/apiserver/faults.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// `inner`, a watch that was answered with 200 and makes its frames with `encoder`, spoiled by those
// actions of `rule` that concern events and bookmarks; with any other action `inner` itself.
// `start` is the resourceVersion that its events follow.
ResponsePtr NewFaultyWatch(ServerState& state, ObjectEncoder encoder, std::int64_t start,
                           const FaultRule& rule, ResponsePtr inner);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_FAULTS_FAULTY_WATCH_H_
