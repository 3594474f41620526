// apiserver/write/request/reshape_in_turns.h
//
// Conversion of a resource's objects to a changed definition, while requests are served.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_RESHAPE_IN_TURNS_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_RESHAPE_IN_TURNS_H_

#include <memory>

#include "apiserver/registry/reshaped_objects.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/async.h"
#include "apiserver/request/off_loop.h"

namespace kinformer::apiserver {

// Collects the objects in turns of the loop, and shapes them off the loop, until little is left to
// do.
Task<void> ReshapeInTurns(ServerState& state, OffLoop& off_loop,
                          std::shared_ptr<ReshapedObjects> objects);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_RESHAPE_IN_TURNS_H_
