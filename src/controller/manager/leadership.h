// controller/manager/leadership.h
//
// ManagerLeadership: a manager's part in its leader election.

#ifndef KINFORMER_CONTROLLER_MANAGER_LEADERSHIP_H_
#define KINFORMER_CONTROLLER_MANAGER_LEADERSHIP_H_

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/config.h"
#include "kinformer/controller/cluster.h"
#include "kinformer/controller/manager.h"
#include "kinformer/leaderelection/leader_elector.h"

namespace kinformer::internal {

class ManagerLeadership {
 public:
  // kInvalidArgument: see Manager::New. `config` may be null; see leader_election_client. Events
  // about the Lease are the cluster's.
  static Result<std::unique_ptr<ManagerLeadership>> New(Cluster& cluster, const Config* config,
                                                        const ManagerOptions& options);
  ~ManagerLeadership();
  ManagerLeadership(const ManagerLeadership&) = delete;
  ManagerLeadership& operator=(const ManagerLeadership&) = delete;

  // Takes part in the election, on a separate thread. Calls `lead` when this process leads; its
  // token is stopped when it must end, and the Lease is released after it has returned. Calls
  // `on_end` at the end, whether or not this process ever led.
  void Start(std::function<void(const std::stop_token&)> lead, std::function<void()> on_end);
  // Ends the election, and releases the Lease if the options say so. Waits until `deadline`;
  // returns false if it has not ended, then the destructor waits. May be called again.
  bool Stop(SteadyTime deadline);

  [[nodiscard]] const std::shared_ptr<LeaderElector>& elector() const { return elector_; }
  // Return ResourceLock::Describe and Identity.
  [[nodiscard]] const std::string& lock_name() const { return lock_name_; }
  [[nodiscard]] const std::string& identity() const { return identity_; }

 private:
  // Passes the elector's calls on until this is destroyed, since the elector may live longer.
  class Gate;

  explicit ManagerLeadership(Env& env);

  Env& env_;
  const std::shared_ptr<Gate> gate_;
  std::shared_ptr<LeaderElector> elector_;
  std::string lock_name_;
  std::string identity_;
  std::function<void(const std::stop_token&)> lead_;
  std::function<void()> on_end_;
  std::stop_source stop_;
  const std::unique_ptr<Monitor> monitor_;
  bool running_ = false;  // under monitor_
  std::unique_ptr<Thread> thread_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_MANAGER_LEADERSHIP_H_
