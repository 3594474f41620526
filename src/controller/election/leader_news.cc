#include "controller/election/leader_news.h"

#include <utility>

#include "base/core/user_call.h"

namespace kinformer::internal::election {

LeaderNews::LeaderNews(Env& env, const std::function<void(const std::string&)>& tell)
    : env_(env), tell_(tell), monitor_(env.NewMonitor()) {
  if (tell_) thread_ = env_.NewThread("leader-news", [this] { TellAll(); });
}

LeaderNews::~LeaderNews() {
  const MonitorLock lock(*monitor_);
  ending_ = true;
  monitor_->NotifyAll();
}

void LeaderNews::Report(const std::string& identity) {
  if (!tell_ || reported_ == identity) return;
  reported_ = identity;
  const MonitorLock lock(*monitor_);
  waiting_.push_back(identity);
  monitor_->NotifyAll();
}

void LeaderNews::TellAll() {
  while (true) {
    std::string identity;
    {
      MonitorLock lock(*monitor_);
      while (waiting_.empty() && !ending_) lock.Wait();
      if (waiting_.empty()) return;
      identity = std::move(waiting_.front());
      waiting_.pop_front();
    }
    static_cast<void>(base::CallUser(env_, "on_new_leader", [&] { tell_(identity); }));
  }
}

}  // namespace kinformer::internal::election
