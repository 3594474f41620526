#include "base/core/would_deadlock.h"

#include <chrono>
#include <optional>
#include <utility>

#include "kinformer/base/log.h"

#include "base/core/mutex.h"

namespace kinformer::internal::base {
namespace {

constexpr Duration kPeriod = std::chrono::minutes(1);

// Whether a line may be logged now. Shared by all Envs of the process, whose clocks may differ.
bool MaySay(Env& env) {
  static Mutex mutex;
  static std::optional<SteadyTime> said;
  const SteadyTime now = env.Now();
  const MutexLock lock(mutex);
  if (said && now >= *said && now - *said < kPeriod) return false;
  said = now;
  return true;
}

}  // namespace

Error WouldDeadlock(Env& env, std::string message) {
  if (MaySay(env)) {
    env.log().Log(
        LogLevel::kWarning,
        "a call would have waited for its own thread, mostly an event loop's; it got an error",
        {{"err", message}});
  }
  return Error(Reason::kWouldDeadlock, std::move(message));
}

}  // namespace kinformer::internal::base
