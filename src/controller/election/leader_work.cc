#include "controller/election/leader_work.h"

#include <utility>

#include "base/core/user_call.h"

namespace kinformer::internal::election {

LeaderWork::LeaderWork(Env& env, std::function<void(const std::stop_token&)> work)
    : env_(env), work_(std::move(work)), monitor_(env.NewMonitor()) {}

LeaderWork::~LeaderWork() { Join(); }

void LeaderWork::Start() {
  stop_ = std::stop_source();
  running_ = true;
  thread_ = env_.NewThread("leader", [this] {
    static_cast<void>(
        base::CallUser(env_, "on_started_leading", [this] { work_(stop_.get_token()); }));
    const MonitorLock lock(*monitor_);
    running_ = false;
    monitor_->NotifyAll();
  });
}

bool LeaderWork::WaitUntil(SteadyTime until) {
  MonitorLock lock(*monitor_);
  while (running_ && env_.Now() < until) lock.WaitUntil(until);
  return !running_;
}

void LeaderWork::Join() {
  RequestStop();
  thread_.reset();
}

}  // namespace kinformer::internal::election
