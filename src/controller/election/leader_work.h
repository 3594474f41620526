// controller/election/leader_work.h
//
// LeaderWork: on_started_leading, on its thread.

#ifndef KINFORMER_CONTROLLER_ELECTION_LEADER_WORK_H_
#define KINFORMER_CONTROLLER_ELECTION_LEADER_WORK_H_

#include <functional>
#include <memory>
#include <stop_token>

#include "kinformer/base/env.h"

namespace kinformer::internal::election {

// Used by one thread at a time. The destructor stops the work and waits for it.
class LeaderWork {
 public:
  LeaderWork(Env& env, std::function<void(const std::stop_token&)> work);
  ~LeaderWork();
  LeaderWork(const LeaderWork&) = delete;
  LeaderWork& operator=(const LeaderWork&) = delete;

  // REQUIRES: it has not been started, or Join has returned since.
  void Start();
  void RequestStop() { stop_.request_stop(); }
  // Returns false if the work has not ended at `until`.
  bool WaitUntil(SteadyTime until);
  [[nodiscard]] bool Ended() { return WaitUntil(SteadyTime::min()); }
  // Requests the work to stop, and waits for it.
  void Join();

 private:
  Env& env_;
  const std::function<void(const std::stop_token&)> work_;
  std::stop_source stop_;
  const std::unique_ptr<Monitor> monitor_;
  bool running_ = false;  // under monitor_
  std::unique_ptr<Thread> thread_;
};

}  // namespace kinformer::internal::election

#endif  // KINFORMER_CONTROLLER_ELECTION_LEADER_WORK_H_
