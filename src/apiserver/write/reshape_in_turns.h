// apiserver/write/reshape_in_turns.h
//
// The objects of a resource are brought to another definition of it while everybody else is served.

#ifndef KINFORMER_APISERVER_WRITE_RESHAPE_IN_TURNS_H_
#define KINFORMER_APISERVER_WRITE_RESHAPE_IN_TURNS_H_

#include <functional>
#include <memory>

#include "apiserver/registry/reshaped_objects.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Collects them in turns of the loop, shapes them off the loop, and answers with what `then` makes
// once little is left to do. All must outlive the answer.
ResponsePtr ReshapeInTurns(ServerState& state, OffLoop& off_loop,
                           std::shared_ptr<ReshapedObjects> objects,
                           std::function<ResponsePtr()> then);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_RESHAPE_IN_TURNS_H_
