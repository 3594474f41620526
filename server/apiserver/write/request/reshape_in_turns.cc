#include "apiserver/write/request/reshape_in_turns.h"

#include "base/core/work_slice.h"

namespace kinformer::apiserver {

Task<void> ReshapeInTurns(ServerState& state, OffLoop& off_loop,
                          std::shared_ptr<ReshapedObjects> objects) {
  for (;;) {
    const internal::base::WorkSlice turn(state.env);
    if (objects->Collect(state.resource_version, &turn)) break;
    co_await NextTurn(state);
  }
  // Stops catching up if writes are faster than this.
  constexpr int kRounds = 20;
  for (int round = 1;; ++round) {
    co_await off_loop.Do([&] { objects->Shape(); });
    if (!OffLoop::IsMuch(objects->BytesBehind()) || round == kRounds) co_return;
    objects->CollectBehind();
  }
}

}  // namespace kinformer::apiserver
