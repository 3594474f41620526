#include "controller/manager/take_over.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "kinformer/base/log.h"

namespace kinformer::internal {
namespace {

// Returns the first names, and how many more there are.
std::string Joined(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += (i == 0 ? "" : "; ") + names[i];
  }
  if (names.size() > kMost) text += "; and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

}  // namespace

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
  // Asked once: a later question would ask for newer changes, and a busy collection whose watch is
  // late would never have these.
  const auto said = std::make_shared<std::atomic<bool>>(false);
  const Timer timer =
      env_.loop().RunAt(env_.Now() + kLong, [said, since, &env = env_, weak = cluster_] {
        const std::shared_ptr<Cluster> held = weak.lock();
        if (held == nullptr) return;
        *said = true;
        env.log().Log(LogLevel::kWarning,
                      "a new leader reconciles nothing yet: its caches are older than its election",
                      {{"caches", Joined(held->GetCache().core().NotCurrentSince(since))}});
      });
  Result<void> current = cluster.GetCache().WaitUntilCurrent(stop, {}, since);
  // One that was stopped meanwhile is waited for no more.
  while (!current && !stop.stop_requested() && current.error().reason() == Reason::kStopped) {
    current = cluster.GetCache().WaitUntilCurrent(stop, {}, since);
  }
  if (current) {
    if (*said) env_.log().Log(LogLevel::kInfo, "the caches have all of before the election", {});
    return current;
  }
  if (stop.stop_requested()) return current;
  // Nothing can be known, and its informer's status has the error, too.
  env_.log().Log(LogLevel::kWarning, "a new leader cannot know whether a cache is as new as it",
                 {{"err", current.error().ToString()}});
  return {};
}

}  // namespace kinformer::internal
