// apiserver/faulty_watch.h
//
// A watch that does not say what happened, or not as it should.

#ifndef KINFORMER_SRC_APISERVER_FAULTY_WATCH_H_
#define KINFORMER_SRC_APISERVER_FAULTY_WATCH_H_

#include <cstdint>

#include "kinformer/apiserver/faults.h"

#include "apiserver/object_encoder.h"
#include "apiserver/responses.h"
#include "apiserver/server_state.h"

namespace kinformer::apiserver {

// `inner`, a watch that was answered with 200 and makes its frames with `encoder`, spoiled by those actions of `rule` that
// concern events and bookmarks; with any other action `inner` itself. `start` is the resourceVersion that its events follow.
ResponsePtr NewFaultyWatch(ServerState& state, ObjectEncoder encoder, std::int64_t start,
                           const FaultRule& rule, ResponsePtr inner);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_FAULTY_WATCH_H_
