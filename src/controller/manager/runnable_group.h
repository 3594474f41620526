// controller/manager/runnable_group.h
//
// GroupRunner: runs the runnables of one group of a manager, each on its own thread.

#ifndef KINFORMER_CONTROLLER_MANAGER_RUNNABLE_GROUP_H_
#define KINFORMER_CONTROLLER_MANAGER_RUNNABLE_GROUP_H_

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/controller/runnable.h"

namespace kinformer::internal {

// Properties of a runnable, read once. If its functions throw, TraitsOf logs and counts that, and
// returns the error for Manager::Add.
struct RunnableTraits {
  std::string name{};
  RunnableGroup group = RunnableGroup::kLeaderElection;
  bool has_warmup = false;
};
Result<RunnableTraits> TraitsOf(Env& env, const Runnable& runnable);

// Thread-safe, except that only the manager calls Start and Stop. The destructor stops and waits.
class GroupRunner {
 public:
  // Function of a runnable that the group runs: Start or Warmup.
  enum class Body : std::uint8_t { kStart, kWarmup };
  // Called for each failed runnable, on the thread of the runnable.
  using OnError = std::function<void(Error error)>;

  GroupRunner(Env& env, Body body, OnError on_error);
  ~GroupRunner();
  GroupRunner(const GroupRunner&) = delete;
  GroupRunner& operator=(const GroupRunner&) = delete;

  // kStopped: the group has ended. kAlreadyExists.
  Result<void> Add(std::shared_ptr<Runnable> runnable, std::string name);
  // Stops a runnable and waits for its end; does not wait on an event loop or inside the runnable.
  enum class Removal : std::uint8_t { kNotHere, kEnded, kStillRuns };
  Removal Remove(const std::shared_ptr<Runnable>& runnable);

  // Starts all and waits until each is ready, has ended or has failed, or stop is requested.
  void Start(const std::stop_token& stop);
  // Requests all to stop. No runnable starts after this.
  void RequestStop();
  // Calls RequestStop and waits until `deadline`. Returns the names of those still running.
  std::vector<std::string> Stop(SteadyTime deadline);
  // Waits until the group was stopped and all runnables have ended.
  void WaitUntilEnded();

 private:
  struct Member {
    Member(std::shared_ptr<Runnable> r, std::string n)
        : runnable(std::move(r)), name(std::move(n)) {}
    const std::shared_ptr<Runnable> runnable;
    const std::string name;
    std::stop_source stop;
    bool ended = false;
    bool removed = false;  // erased as soon as it has ended
    std::unique_ptr<Thread> thread;
  };
  enum class Phase : std::uint8_t { kNew, kStarted, kStopped };
  using Members = std::list<std::shared_ptr<Member>>;

  // Takes out runnables that were removed and have ended; destroy them without the monitor.
  Members TakeGoneLocked();

  void LaunchLocked(Member& member);
  void Run(Member& member);
  void Report(const Member& member, const Error& error);

  Env& env_;
  const Body body_;
  const OnError on_error_;
  const std::unique_ptr<Monitor> monitor_;
  // Guarded by monitor_.
  Phase phase_ = Phase::kNew;
  Members members_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_MANAGER_RUNNABLE_GROUP_H_
