#include "kinformer/base/env.h"

#include "base/core/deadline.h"

namespace kinformer {

void Env::SleepFor(Duration duration) {
  if (duration <= Duration::zero()) return;
  if (OnLoopThread()) {
    log().Log(LogLevel::kError, "SleepFor called on an event loop; not sleeping", {});
    return;
  }
  const SteadyTime deadline = internal::base::After(Now(), duration);
  const std::unique_ptr<Monitor> monitor = NewMonitor();
  MonitorLock lock(*monitor);
  while (Now() < deadline) lock.WaitUntil(deadline);
}

double RandomUnit(Env& env) { return static_cast<double>(env.Random() >> 11) * 0x1.0p-53; }

}  // namespace kinformer
