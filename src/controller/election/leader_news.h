// controller/election/leader_news.h
//
// LeaderNews: calls on_new_leader on a separate thread, so that renewals do not wait for it.

#ifndef KINFORMER_CONTROLLER_ELECTION_LEADER_NEWS_H_
#define KINFORMER_CONTROLLER_ELECTION_LEADER_NEWS_H_

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "kinformer/base/env.h"

namespace kinformer::internal::election {

// Used during one Run. The destructor waits until the callback got all reported leaders.
class LeaderNews {
 public:
  // `tell` may be empty.
  LeaderNews(Env& env, const std::function<void(const std::string&)>& tell);
  ~LeaderNews();
  LeaderNews(const LeaderNews&) = delete;
  LeaderNews& operator=(const LeaderNews&) = delete;

  // Calls the callback if the leader has changed. Used by one thread.
  void Report(const std::string& identity);

 private:
  void TellAll();

  Env& env_;
  const std::function<void(const std::string&)>& tell_;
  std::string reported_;
  const std::unique_ptr<Monitor> monitor_;
  std::deque<std::string> waiting_;  // under monitor_
  bool ending_ = false;              // under monitor_
  std::unique_ptr<Thread> thread_;   // joined first
};

}  // namespace kinformer::internal::election

#endif  // KINFORMER_CONTROLLER_ELECTION_LEADER_NEWS_H_
