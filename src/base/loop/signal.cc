#include "base/loop/signal.h"

namespace kinformer::internal::base {

Task<Result<void>> AwaitUntil(Env& env, std::shared_ptr<Signal> signal, std::stop_token stop,
                              std::optional<SteadyTime> deadline,
                              std::function<std::optional<Result<void>>()> check) {
  const Limits limits(env, signal, stop, deadline);
  while (true) {
    std::optional<Result<void>> decided = check();
    if (decided) co_return *std::move(decided);
    co_await signal->Wait();
  }
}

}  // namespace kinformer::internal::base
