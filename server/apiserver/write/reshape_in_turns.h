// apiserver/write/reshape_in_turns.h
//
// Conversion of a resource's objects to a changed definition, while requests are served.

#ifndef KINFORMER_APISERVER_WRITE_RESHAPE_IN_TURNS_H_
#define KINFORMER_APISERVER_WRITE_RESHAPE_IN_TURNS_H_

#include <functional>
#include <memory>

#include "apiserver/registry/reshaped_objects.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Collects the objects in turns of the loop, shapes them off the loop, and responds with the result
// of `then` once little is left to do. All arguments must outlive the response.
ResponsePtr ReshapeInTurns(ServerState& state, OffLoop& off_loop,
                           std::shared_ptr<ReshapedObjects> objects,
                           std::function<ResponsePtr()> then);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_RESHAPE_IN_TURNS_H_
