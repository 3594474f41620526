// apiserver/write/eviction.h
//
// Eviction: a pod's delete that PodDisruptionBudgets may refuse.

#ifndef KINFORMER_APISERVER_WRITE_EVICTION_H_
#define KINFORMER_APISERVER_WRITE_EVICTION_H_

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/write/object_writer.h"

namespace kinformer::apiserver {

// Deletes the pod of `target` as the Eviction says, if the one budget that selects it allows a
// disruption, which is then taken off its status. Nobody here computes that status: budgets allow
// what a client has written into it, and nothing before. TooManyRequests with the cause
// DisruptionBudget where the budget does not allow it; else the errors of a delete.
Result<void> Evict(ServerState& state, ObjectWriter& writer, WriteTarget target,
                   const json::Value& eviction);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_EVICTION_H_
