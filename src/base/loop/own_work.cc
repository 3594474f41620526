#include "base/loop/own_work.h"

#include "base/loop/event_loop.h"

namespace kinformer::internal::base {

OwnWork OwnWorkOf(Env& env) {
  Executor& loop = env.loop();
  HasOwnWork* place = nullptr;
  if (const auto* real = dynamic_cast<const EventLoop*>(&loop)) {
    place = real->own_work();
  } else {
    place = dynamic_cast<HasOwnWork*>(&loop);
  }
  if (place != nullptr) return place->own_work();
  return {env, env.pool(), {}};
}

}  // namespace kinformer::internal::base
