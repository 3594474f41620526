#include "controller/manager/take_over.h"

#include "kinformer/base/log.h"

namespace kinformer::internal {

TakeOver::TakeOver(const std::shared_ptr<Cluster>& cluster)
    : env_(cluster->env()), cluster_(cluster), monitor_(env_.NewMonitor()) {}

void TakeOver::Elected() {
  const MonitorLock lock(*monitor_);
  elected_at_ = env_.Now();
}

Result<void> TakeOver::CatchUp(const std::stop_token& stop) {
  const std::shared_ptr<Cluster> cluster = cluster_.lock();
  if (cluster == nullptr) return Error(Reason::kStopped, "the manager has ended");
  const std::stop_callback on_stop(stop, [this] {
    const MonitorLock lock(*monitor_);
    monitor_->NotifyAll();
  });
  SteadyTime since{};
  {
    MonitorLock lock(*monitor_);
    while (busy_ && !stop.stop_requested()) lock.Wait();
    if (stop.stop_requested()) return Error(Reason::kCanceled, "the manager ends");
    busy_ = true;
    since = elected_at_;
  }
  Result<void> current = Wait(*cluster, since, stop);
  MonitorLock lock(*monitor_);
  busy_ = false;
  monitor_->NotifyAll();
  return current;
}

Result<void> TakeOver::Wait(Cluster& cluster, SteadyTime since, const std::stop_token& stop) const {
  bool said = false;
  while (true) {
    Result<void> current = cluster.GetCache().WaitUntilCurrent(stop, kLong, since);
    if (current || stop.stop_requested()) {
      if (said && current) {
        env_.log().Log(LogLevel::kInfo, "the caches have all that the server had at the election",
                       {});
      }
      return current;
    }
    const Reason reason = current.error().reason();
    // One that was stopped meanwhile is waited for no more.
    if (reason == Reason::kStopped) continue;
    if (reason != Reason::kDeadlineExceeded) {
      // Nothing can be known, and its informer's status has the error, too.
      env_.log().Log(LogLevel::kWarning, "a new leader cannot know whether a cache is as new as it",
                     {{"err", current.error().ToString()}});
      return {};
    }
    said = true;
    env_.log().Log(LogLevel::kWarning,
                   "a new leader reconciles nothing yet: its caches are older than its election",
                   {{"err", current.error().ToString()}});
  }
}

}  // namespace kinformer::internal
