// controller/manager/runnable_group.h
//
// GroupRunner: the runnables of one group of a manager, each on a thread of its own.

#ifndef KINFORMER_CONTROLLER_MANAGER_RUNNABLE_GROUP_H_
#define KINFORMER_CONTROLLER_MANAGER_RUNNABLE_GROUP_H_

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/result.h"
#include "kinformer/runnable.h"

namespace kinformer::internal {

// What a runnable says of itself, once; where that throws, which is logged and counted, the error
// that Manager::Add gives.
struct RunnableTraits {
  std::string name{};
  RunnableGroup group = RunnableGroup::kLeaderElection;
  bool has_warmup = false;
};
Result<RunnableTraits> TraitsOf(Env& env, const Runnable& runnable);

// Thread-safe, but for Start and Stop, which the manager calls. Destruction stops and waits.
class GroupRunner {
 public:
  // Of which of a runnable's two bodies a group is made.
  enum class Body : std::uint8_t { kStart, kWarmup };
  // Told, on the runnable's thread, of each that failed.
  using OnError = std::function<void(Error error)>;

  GroupRunner(Env& env, Body body, OnError on_error);
  ~GroupRunner();
  GroupRunner(const GroupRunner&) = delete;
  GroupRunner& operator=(const GroupRunner&) = delete;

  // kStopped: the group has ended. kAlreadyExists.
  Result<void> Add(std::shared_ptr<Runnable> runnable, std::string name);
  // Tells it to end, and waits for that: but for an event loop, and for who works for it.
  enum class Removal : std::uint8_t { kNotHere, kEnded, kStillRuns };
  Removal Remove(const std::shared_ptr<Runnable>& runnable);

  // Starts all and waits until each is ready, has ended or has failed, or stop is requested.
  void Start(const std::stop_token& stop);
  // Asks all to stop; none starts any more.
  void RequestStop();
  // The same, and waits until `deadline`. The names of those that have not ended by then.
  std::vector<std::string> Stop(SteadyTime deadline);
  // Waits until it has been stopped and all have ended.
  void WaitUntilEnded();

 private:
  struct Member {
    Member(std::shared_ptr<Runnable> r, std::string n)
        : runnable(std::move(r)), name(std::move(n)) {}
    const std::shared_ptr<Runnable> runnable;
    const std::string name;
    std::stop_source stop;
    bool ended = false;
    bool removed = false;  // and goes once it has ended
    std::unique_ptr<Thread> thread;
  };
  enum class Phase : std::uint8_t { kNew, kStarted, kStopped };
  using Members = std::list<std::shared_ptr<Member>>;

  // Runnables that were removed and have ended since: to be let go of without the monitor.
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
