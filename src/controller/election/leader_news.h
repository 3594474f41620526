// controller/election/leader_news.h
//
// LeaderNews: calls on_new_leader on a thread of its own, so that no renewal waits for it.

#ifndef KINFORMER_CONTROLLER_ELECTION_LEADER_NEWS_H_
#define KINFORMER_CONTROLLER_ELECTION_LEADER_NEWS_H_

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "kinformer/env.h"

namespace kinformer::internal::election {

// For the length of one Run. Destruction waits until all that was reported has been told.
class LeaderNews {
 public:
  // `tell` may be empty.
  LeaderNews(Env& env, const std::function<void(const std::string&)>& tell);
  ~LeaderNews();
  LeaderNews(const LeaderNews&) = delete;
  LeaderNews& operator=(const LeaderNews&) = delete;

  // Tells who leads, if that is another one than the last time. By one thread.
  void Report(const std::string& identity);

 private:
  void TellAll();

  Env& env_;
  const std::function<void(const std::string&)>& tell_;
  std::string reported_;
  const std::unique_ptr<Monitor> monitor_;
  std::deque<std::string> waiting_;  // under monitor_
  bool ending_ = false;              // under monitor_
  std::unique_ptr<Thread> thread_;
};

}  // namespace kinformer::internal::election

#endif  // KINFORMER_CONTROLLER_ELECTION_LEADER_NEWS_H_
